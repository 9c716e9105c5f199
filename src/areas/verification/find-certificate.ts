import { type Database, inList } from '../../platform/database/database.ts';
import { withoutPunctuation } from '../../platform/text.ts';
import type { ServiceKind } from '../catalog/index.ts';

interface CertificateCriteria {
  profileIds: readonly number[];
  kinds: readonly ServiceKind[];
  /** `YYYY-MM-DD`; the certificate is dated for at least one of these days. */
  firstDay: string;
  lastDay: string;
}

/**
 * Lists applications of profiles whose certificates are dated for some of these days, newest first. Does not check that they are valid.
 * Uses applications_profile_index.
 */
export async function findCertificatesOfProfiles(
  db: Database,
  { profileIds, kinds, firstDay, lastDay }: CertificateCriteria,
): Promise<number[]> {
  const rows = await db
    .selectFrom('applications as a')
    .innerJoin('certificates as c', 'c.applicationId', 'a.id')
    .where('a.profileId', '=', inList(profileIds))
    .where('a.kind', '=', inList(kinds))
    .where('c.validFrom', '<=', lastDay)
    .where('c.validUntil', '>=', firstDay)
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

/** A reference that may lead to a certificate. */
export type ReadableReference = Exclude<CertificateReference, { by: 'nothing' }>;

/**
 * Finds certificates by reference, valid or not, in the order of the references; null where there is none. One statement. Uses
 * certificates_number_unique, certificates_token_unique.
 */
export async function findReferredCertificates(
  db: Database,
  references: readonly ReadableReference[],
): Promise<(ReferredCertificate | null)[]> {
  if (references.length === 0) return [];
  const numbers = references.flatMap((reference) => (reference.by === 'number' ? [reference.number] : []));
  const tokens = references.flatMap((reference) => (reference.by === 'token' ? [reference.token] : []));
  const rows = await db
    .selectFrom('certificates')
    .select(['applicationId', 'number', 'token', 'snapshot'])
    .where((eb) => eb.or([eb('number', '=', inList(numbers)), eb('token', '=', inList(tokens))]))
    .execute();
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const byToken = new Map(rows.map((row) => [row.token, row]));
  return references.map((reference) => {
    const row = reference.by === 'number' ? byNumber.get(reference.number) : byToken.get(reference.token);
    return row === undefined ? null : { applicationId: row.applicationId, number: row.number, holderName: row.snapshot.holderName };
  });
}

/** A reference to a certificate: the printed number or the token of its QR. */
export type CertificateReference =
  | { by: 'number'; number: string }
  | { by: 'token'; token: string }
  /** A link to another host, or a link to this service that is not a certificate's. */
  | { by: 'nothing'; problem: 'foreign_link' | 'no_certificate_link' };

/** The verification token: 32 bytes in base64url, case-sensitive. */
const tokenShape = /^[\w-]{43}$/;
/** Any URI scheme, also `javascript:` and `mailto:`. */
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const webScheme = /^https?:\/\//i;

/** Parses a certificate number or a verification token; null for a link. Any text that is neither link nor token counts as a number. */
export function parsePlainReference(text: string): ReadableReference | null {
  const given = withoutPunctuation(text.trim());
  if (tokenShape.test(given)) return { by: 'token', token: given };
  return given.includes('/') || scheme.test(given) ? null : { by: 'number', number: given.toUpperCase() };
}

/**
 * Parses a certificate number, a verification token or the full link of a QR (VER-8).
 *
 * Does not look the certificate up: a text that is neither link nor token counts as a number. Host, port and path of a link must be
 * those of this service. Query and fragment are ignored, because scanners and messengers append them. The scheme may be missing or
 * `http`, because address bars hide it and old QRs have `http`.
 * @param baseUrl address of this service, without a trailing slash
 */
export function parseCertificateReference(text: string, baseUrl: string): CertificateReference {
  const plain = parsePlainReference(text);
  if (plain !== null) return plain;

  const given = withoutPunctuation(text.trim());
  const link = URL.parse(webScheme.test(given) ? given : `http://${given}`);
  const ours = new URL(baseUrl);
  if (link === null || link.host !== ours.host || link.username !== '' || link.password !== '')
    return { by: 'nothing', problem: 'foreign_link' };
  const prefix = `${ours.pathname === '/' ? '' : ours.pathname}/v/`;
  const token = link.pathname.startsWith(prefix) ? link.pathname.slice(prefix.length) : '';
  const withoutSlash = withoutPunctuation(token.endsWith('/') ? token.slice(0, -1) : token);
  return tokenShape.test(withoutSlash) ? { by: 'token', token: withoutSlash } : { by: 'nothing', problem: 'no_certificate_link' };
}
