import type { Database } from '../platform/database/database.ts';
import type { CertificateReference } from './certificate-reference.ts';

/** A certificate as it was issued: its number and the name that was printed. */
export interface ReferredCertificate {
  applicationId: number;
  number: string;
  holderName: string;
}

/** The certificate that somebody names, whatever has become of it; null when there is none. By certificates_number_unique, certificates_token_unique. */
export async function findReferredCertificate(
  db: Database,
  reference: Exclude<CertificateReference, { by: 'nothing' }>,
): Promise<ReferredCertificate | null> {
  const all = db.selectFrom('certificates').select(['applicationId', 'number', 'snapshot']);
  const named = reference.by === 'number' ? all.where('number', '=', reference.number) : all.where('token', '=', reference.token);
  const row = await named.executeTakeFirst();
  return row ? { applicationId: row.applicationId, number: row.number, holderName: row.snapshot.holderName } : null;
}
