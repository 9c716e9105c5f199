import { sql } from 'kysely';
import type { CommandContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { NationalList } from '../lists.ts';

/** A locked list. */
export interface LockedList {
  administratorId: number;
  list: NationalList;
  /** Application ids, in the order of addition. */
  ids: number[];
}

/** Locks and reads a personal list. An advisory lock, because an empty list has no row to lock. */
export async function lockList({ db }: CommandContext, administratorId: number, list: NationalList): Promise<LockedList> {
  const name = `national_list:${administratorId}:${list}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
  return { administratorId, list, ids: await findListed(db, administratorId, list) };
}

/** Reads a personal list as application ids, in the order of addition. */
export async function findListed(db: Database, administratorId: number, list: NationalList): Promise<number[]> {
  const entries = await db
    .selectFrom('national_list_entries')
    .select('applicationId')
    .where('administratorId', '=', administratorId)
    .where('list', '=', list)
    .orderBy('addedAt')
    .orderBy('applicationId')
    .execute();
  return entries.map(({ applicationId }) => applicationId);
}
