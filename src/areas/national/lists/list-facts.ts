import { type Database, inList } from '../../../platform/database/database.ts';
import { isKept, photoOf } from '../exports/printed-photo.ts';
import type { ListFacts } from './fitness.ts';

/** Reads the list facts of applications by id; unknown ids are absent. */
export async function findListFacts(db: Database, ids: readonly number[]): Promise<Map<number, ListFacts>> {
  const rows = await db
    .selectFrom('applications as a')
    .leftJoin('certificates as c', 'c.applicationId', 'a.id')
    .leftJoin('files as f', (join) => join.on('f.id', '=', photoOf).on(isKept))
    .where('a.id', '=', inList(ids))
    .select(['a.id', 'a.kind', 'a.status'])
    .select((eb) => [
      eb
        .or([eb('a.paid', '=', true), eb('a.amountMinor', '=', 0)])
        .$castTo<boolean>()
        .as('isSettled'),
      eb('c.applicationId', 'is not', null).$castTo<boolean>().as('isIssued'),
      eb('f.id', 'is not', null).$castTo<boolean>().as('isPhotoAvailable'),
    ])
    .execute();
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}
