import type { NationalList } from '../../../src/areas/national/lists/fitness.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';

/** Replaces the content of an administrator's personal list by these applications. */
export async function setList(platform: Platform, administratorId: number, list: NationalList, ids: readonly number[]): Promise<void> {
  const db = databaseOf(platform.orm.em.fork());
  await db.deleteFrom('national_list_entries').where('administratorId', '=', administratorId).where('list', '=', list).execute();
  if (ids.length === 0) return;
  const entries = ids.map((applicationId) => ({ administratorId, list, applicationId, addedAt: new Date() }));
  await db.insertInto('national_list_entries').values(entries).execute();
}
