import { InvalidToken } from './bytes.ts';
import type { CborMap, CborValue } from './cbor.ts';
import { expiryClaim, issuedClaim, issuerClaim, notBeforeClaim, originOf, readText, readTime, subjectClaim } from './claims.ts';
import { isMap } from './cose.ts';

const kinds = ['national_certificate', 'international_licence', 'other'] as const;

/** The signed facts of a certificate or licence. */
export interface Credential {
  /** Origin of the registry. */
  issuer: string;
  number: string;
  kind: (typeof kinds)[number];
  category: string | null;
  /** Code of the discipline. */
  discipline: string | null;
  /** First and last second of its validity. */
  validFrom: Date;
  validUntil: Date;
  issuedAt: Date;
}

/** A place in a status list. */
export interface StatusReference {
  uri: string;
  place: number;
}

const statusClaim = 65_535;
const kindClaim = -70_001;
const categoryClaim = -70_002;
const disciplineClaim = -70_003;

/**
 * Reads the claims of a credential (GAT-3). The status list must have the issuer's origin: a credential cannot name another host's list.
 *
 * @throws {InvalidToken}
 */
export function readClaims(claims: CborMap): { credential: Credential; status: StatusReference } {
  const credential = {
    issuer: originOf(readText(claims.get(issuerClaim))),
    number: readText(claims.get(subjectClaim)),
    kind: readKind(claims.get(kindClaim)),
    category: readOptionalText(claims.get(categoryClaim)),
    discipline: readOptionalText(claims.get(disciplineClaim)),
    validFrom: readTime(claims.get(notBeforeClaim)),
    validUntil: readTime(claims.get(expiryClaim)),
    issuedAt: readTime(claims.get(issuedClaim)),
  };
  const status = claims.get(statusClaim);
  const reference = isMap(status) ? status.get('status_list') : null;
  if (!isMap(reference)) throw new InvalidToken('no status list');
  const place = reference.get('idx');
  const uri = readText(reference.get('uri'));
  if (typeof place !== 'number' || place < 0) throw new InvalidToken('no place in the status list');
  if (originOf(uri) !== credential.issuer) throw new InvalidToken('the status list of another host');
  return { credential, status: { uri, place } };
}

function readOptionalText(value: CborValue | undefined): string | null {
  return value === undefined || value === null ? null : readText(value);
}

function readKind(value: CborValue | undefined): Credential['kind'] {
  const kind = kinds.find((known) => known === value);
  if (kind === undefined) throw new InvalidToken('unknown kind');
  return kind;
}
