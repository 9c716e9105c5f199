import { sql } from 'kysely';
import type { CommandContext } from './context.ts';
import { anyOf } from './database/database.ts';
import { processedCommandLifetimeDays } from './processed-command-lifetime.ts';

const dayMs = 24 * 60 * 60_000;
/** Rows of each kind in one page, so that a large backlog is not one long transaction. */
const batch = 1000;

/**
 * Deletes a page of expired rows of requests, by real time: private inputs older than a day, processed commands and idempotency keys past
 * their retention (API-6). Idempotent. Takes one batch of each kind, the oldest first, by an index.
 * @returns the number of deleted rows, and whether more may be left
 */
export async function clearExpiredRequests({ db }: Pick<CommandContext, 'db'>): Promise<{ changed: number; isMore: boolean }> {
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
    db.deleteFrom('private_inputs').where('id', '=', anyOf(inputs.limit(batch))),
    db.deleteFrom('receipts').where(place, '=', anyOf(commands.limit(batch))),
    db.deleteFrom('idempotent_requests').where('id', '=', anyOf(requests.limit(batch))),
  ];
  const counts: number[] = [];
  for (const deletion of deletions) counts.push(Number((await deletion.executeTakeFirst()).numDeletedRows));
  return { changed: counts.reduce((sum, count) => sum + count, 0), isMore: counts.some((count) => count >= batch) };
}
