import { sql } from 'kysely';
import type { CommandContext } from './commands/context.ts';
import { anyOf } from './database/database.ts';
import { dayMs } from './time/date-time.ts';

/** What a page of a deletion of expired rows changed. */
export interface Cleared {
  changed: number;
  /** Whether more may be left. */
  isMore: boolean;
}

/** Scope of an expiry: the secrets of one holder, or at most `limit` secrets of all holders. */
export type Expiring<Holder> = { holder: Holder } | { limit: number };

/** Rows of each kind in a page: a backlog of years must not become one long transaction. */
export const clearingBatch = 1000;

/** Sums the changed rows of each kind; one with a whole batch may have more. */
export function clearedOf(counts: readonly number[]): Cleared {
  return { changed: counts.reduce((sum, count) => sum + count, 0), isMore: counts.some((count) => count >= clearingBatch) };
}

/**
 * Retention of idempotency keys (API-6) and processed commands, days. Longer than any client or step retries. Keys of invoices, corrections
 * and messages are permanent, in their records.
 */
export const processedCommandLifetimeDays = 30;

/**
 * Deletes a page of expired rows of requests, by real time: private inputs older than a day, processed commands and idempotency keys past
 * their retention (API-6). Idempotent. Takes one batch of each kind, the oldest first, by an index.
 * @returns the number of deleted rows, and whether more may be left
 */
export async function clearExpiredRequests({ db }: Pick<CommandContext, 'db'>): Promise<Cleared> {
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
  const inputs = db.selectFrom('private_inputs').select('id as key').where('createdAt', '<', daysAgo(1)).orderBy('createdAt');
  // `ctid` is safe here: one statement selects and deletes the rows, and no command updates them.
  const place = sql<string>`ctid`;
  const commands = db.selectFrom('receipts').select(place.as('key')).where('at', '<', daysAgo(processedCommandLifetimeDays)).orderBy('at');
  const requests = db
    .selectFrom('idempotent_requests')
    .select('id as key')
    .where('createdAt', '<', daysAgo(processedCommandLifetimeDays))
    .orderBy('createdAt');
  const deletions = [
    db.deleteFrom('private_inputs').where('id', '=', anyOf(inputs.limit(clearingBatch))),
    db.deleteFrom('receipts').where(place, '=', anyOf(commands.limit(clearingBatch))),
    db.deleteFrom('idempotent_requests').where('id', '=', anyOf(requests.limit(clearingBatch))),
  ];
  const counts: number[] = [];
  for (const deletion of deletions) counts.push(Number((await deletion.executeTakeFirst()).numDeletedRows));
  return clearedOf(counts);
}
