import type { Cleared } from '../../../platform/expired-rows.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { anyOf, type Database } from '../../../platform/database/database.ts';
import type { RequestRecordRow } from '../entities.ts';
import { dayMs } from '../../../platform/time/date-time.ts';

/** Days for which requests are kept, in real time (ACC-33). */
export const keptDays = 7;
/** Deleted with each page: a backlog must not become one long transaction. */
const batch = 5000;

const oldest = () => new Date(Date.now() - keptDays * dayMs);

export interface RequestFilter {
  status?: number | undefined;
  /** The number of the last request of the page before. */
  after?: number | undefined;
  limit: number;
}

/**
 * Lists the requests of a key or of an account, newest first. Each filter has an index in this order.
 * @returns `next` for the following page; null at the end
 */
export async function listRequests(
  db: Database,
  of: { keyId: number } | { userId: number },
  { status, after, limit }: RequestFilter,
): Promise<{ rows: Readonly<RequestRecordRow>[]; next: number | null }> {
  let wanted = db.selectFrom('request_records').selectAll().where('at', '>=', oldest());
  wanted = 'keyId' in of ? wanted.where('keyId', '=', of.keyId) : wanted.where('userId', '=', of.userId);
  if (status !== undefined) wanted = wanted.where('status', '=', status);
  if (after !== undefined) wanted = wanted.where('id', '<', after);
  const rows = await wanted.orderBy('id', 'desc').limit(limit).execute();
  return { rows, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
}

/** Finds the last request with an id; null without one. Reads `request_records_request_index`. */
export async function findRequest(db: Database, requestId: string): Promise<Readonly<RequestRecordRow> | null> {
  const same = db.selectFrom('request_records').selectAll().where('requestId', '=', requestId).where('at', '>=', oldest());
  return (await same.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null;
}

/** Deletes a page of requests past their retention, the oldest first. Reads `request_records_at_index`. */
export async function clearRequestRecords({ db }: Pick<CommandContext, 'db'>): Promise<Cleared> {
  const old = db.selectFrom('request_records').select('id as key').where('at', '<', oldest()).orderBy('at').limit(batch);
  const { numDeletedRows } = await db.deleteFrom('request_records').where('id', '=', anyOf(old)).executeTakeFirst();
  const changed = Number(numDeletedRows);
  return { changed, isMore: changed === batch };
}
