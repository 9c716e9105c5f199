import { sql } from 'kysely';
import type { CommandContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { NationalList } from '../lists.ts';

/** A list under the lock that whoever changes it takes. */
export interface LockedList {
  administratorId: number;
  list: NationalList;
  /** Application ids, in the order in which they were added. */
  ids: number[];
}

/** Takes the lock under which a personal list changes, empty or not, until the transaction ends, and reads the list. */
export async function lockList({ db }: CommandContext, administratorId: number, list: NationalList): Promise<LockedList> {
  const name = `national_list:${administratorId}:${list}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
  return { administratorId, list, ids: await findListed(db, administratorId, list) };
}

/** What a personal list holds: application ids, in the order in which they were added. */
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
