import { sql } from 'kysely';
import { plannedEachTime } from '../platform/database/database.ts';
import type { Database } from '../platform/database/database.ts';
import type { LockedList } from './lock-list.ts';
import { isKept, photoOf } from './printed-photo.ts';

/**
 * Ids of the oldest applications of a year that belong into a list and are not in it: for `review` those that wait for a decision, for the
 * others those that no file was made of yet. `problemsOf` finds nothing wrong with any of them. The year and what is not exported are found
 * by `national_certificates_group_index`.
 * @param most as many are asked for
 */
export async function findAutoCandidates(
  db: Database,
  { list, ids }: Pick<LockedList, 'list' | 'ids'>,
  year: number,
  most: number,
): Promise<number[]> {
  const ofYear = db
    .selectFrom('national_certificates as n')
    .select('n.applicationId')
    .where('n.year', '=', year)
    .where(sql<boolean>`n.application_id <> all(${[...ids]})`)
    .orderBy('n.applicationId')
    .limit(most)
    // How many wait or are left differs from year to year.
    .modifyEnd(plannedEachTime);
  if (list === 'review') return idsOf(await ofYear.where('n.status', '=', 'submitted').execute());
  const issued = ofYear
    .innerJoin('applications as a', 'a.id', 'n.applicationId')
    .innerJoin('certificates as c', 'c.applicationId', 'n.applicationId')
    .where('n.status', '=', 'approved')
    .where((eb) => eb.or([eb('a.paid', '=', true), eb('a.amountMinor', '=', 0)]));
  if (list === 'insurance') return idsOf(await issued.where('n.insuranceExported', '=', false).execute());
  return idsOf(
    await issued
      .innerJoin('files as f', (join) => join.on('f.id', '=', photoOf).on(isKept))
      .where('n.printExported', '=', false)
      .execute(),
  );
}

function idsOf(rows: readonly { applicationId: number }[]): number[] {
  return rows.map(({ applicationId }) => applicationId);
}
