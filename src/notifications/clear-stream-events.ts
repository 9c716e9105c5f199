import { sql } from 'kysely';
import type { CommandContext } from '../platform/context.ts';

/** How long a client may be away and still be told all that it missed. */
export const streamDays = 7;
/** Goes with each page: a backlog must not become one long transaction. */
const batch = 1000;

/**
 * Clears a page of the events that live streams told more than `streamDays` ago, by the clock of the registry; the oldest first, found by
 * `stream_events_created_index`. What they told of stays.
 * @returns how many, and whether there may be more
 */
export async function clearStreamEvents({ db, now }: Pick<CommandContext, 'db' | 'now'>): Promise<{ changed: number; isMore: boolean }> {
  const old = db
    .selectFrom('stream_events')
    .select('id')
    .where('createdAt', '<', new Date(now.getTime() - streamDays * 24 * 60 * 60_000))
    .orderBy('createdAt')
    .limit(batch);
  // As a list that PostgreSQL makes first: the rows are then found by their keys and never by reading the table.
  const { numDeletedRows } = await db
    .deleteFrom('stream_events')
    .where('id', '=', sql<number>`any(array(${old}))`)
    .executeTakeFirst();
  const changed = Number(numDeletedRows);
  return { changed, isMore: changed === batch };
}
