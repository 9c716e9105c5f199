import type { Database } from '../platform/database/database.ts';
import { inList } from '../platform/database/database.ts';
import type { ServiceKind } from '../catalog/index.ts';

export interface CertificateWishes {
  profileId: number;
  kinds: readonly ServiceKind[];
  /** Of this discipline, or of none. */
  disciplineId: number;
  /** `YYYY-MM-DD`; its dates hold all days between these. */
  firstDay: string;
  lastDay: string;
}

/**
 * Applications of a profile whose certificates were issued for these days, newest first; whether they are in force is another question. By
 * applications_profile_index.
 */
export async function findCertificatesOfProfile(
  db: Database,
  { profileId, kinds, disciplineId, firstDay, lastDay }: CertificateWishes,
): Promise<number[]> {
  const rows = await db
    .selectFrom('applications as a')
    .innerJoin('certificates as c', 'c.applicationId', 'a.id')
    .where('a.profileId', '=', profileId)
    .where('a.kind', '=', inList(kinds))
    .where((eb) => eb.or([eb('a.disciplineId', 'is', null), eb('a.disciplineId', '=', disciplineId)]))
    .where('c.validFrom', '<=', firstDay)
    .where('c.validUntil', '>=', lastDay)
    .select('a.id')
    .orderBy('a.id', 'desc')
    .execute();
  return rows.map(({ id }) => id);
}
