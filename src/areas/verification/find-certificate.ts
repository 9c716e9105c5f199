import { type Database, inList } from '../../platform/database/database.ts';
import type { ServiceKind } from '../catalog/index.ts';
import type { CertificateReference } from './certificate-reference.ts';

export interface CertificateWishes {
  profileId: number;
  kinds: readonly ServiceKind[];
  /** Certificates of this discipline, or of none, match. */
  disciplineId: number;
  /** `YYYY-MM-DD`; the certificate's days include both days and all between. */
  firstDay: string;
  lastDay: string;
}

/**
 * Lists applications of a profile whose certificates cover these days, newest first. Does not check that they are valid. Uses
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

/** A certificate as issued: number and printed name. */
export interface ReferredCertificate {
  applicationId: number;
  number: string;
  holderName: string;
}

/** Finds a certificate by reference, valid or not; null when there is none. Uses certificates_number_unique, certificates_token_unique. */
export async function findReferredCertificate(
  db: Database,
  reference: Exclude<CertificateReference, { by: 'nothing' }>,
): Promise<ReferredCertificate | null> {
  const all = db.selectFrom('certificates').select(['applicationId', 'number', 'snapshot']);
  const named = reference.by === 'number' ? all.where('number', '=', reference.number) : all.where('token', '=', reference.token);
  const row = await named.executeTakeFirst();
  return row ? { applicationId: row.applicationId, number: row.number, holderName: row.snapshot.holderName } : null;
}
