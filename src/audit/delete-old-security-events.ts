import { sql } from 'kysely';
import type { CommandContext } from '../platform/context.ts';

/** How long security events are kept, days. */
const keptDays = 90;

/**
 * Deletes security events past their ninety days by the registry's clock, the oldest first. Chosen by `security_events_at_index`. The rows of the
 * audit itself are never deleted: nobody has the right to, and a trigger holds it.
 * @param limit how many at the most
 * @returns how many
 */
export async function deleteOldSecurityEvents({ db, now }: Pick<CommandContext, 'db' | 'now'>, limit: number): Promise<number> {
  const old = db
    .selectFrom('security_events')
    .select('id')
    .where('at', '<', new Date(now.getTime() - keptDays * 24 * 60 * 60_000))
    .orderBy('at')
    .orderBy('id')
    .limit(limit);
  // As a list that PostgreSQL makes first: the rows are then found by their keys and never by reading the table.
  const { numDeletedRows } = await db
    .deleteFrom('security_events')
    .where('id', '=', sql<number>`any(array(${old}))`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
