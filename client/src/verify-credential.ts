import { type Bytes, decodeBase64url, InvalidToken } from './bytes.ts';
import { findKey, isSign1, isSignedBy, type KeySet, readSign1 } from './cose.ts';
import { type Credential, readClaims } from './credential.ts';
import { readScannedText } from './scanned-text.ts';
import { openStatusList, statusAt } from './status-list.ts';

/** What the registry publishes for verification, and the moment of the check. */
export interface VerificationMaterial {
  /** `GET /.well-known/jwks.json`. */
  jwks: KeySet;
  /** Status list tokens (`application/statuslist+cwt`), by their address. */
  statusLists: Readonly<Record<string, Bytes>>;
  at: Date;
  /** Up to when each list has every change, by its address: `Status-List-Complete-Until` of its latest answer (200 or 304). Absent: its `iat`. */
  completeUntil?: Readonly<Record<string, Date>>;
}

/**
 * - `not_yet`, `expired`: outside its dates
 * - `invalid`: annulled or closed
 * - `suspended`: under correction or review, or a document behind it has lapsed
 * - `forged`: not issued by the registry, or changed
 */
export type InvalidReason = 'not_yet' | 'expired' | 'invalid' | 'suspended' | 'forged';

/**
 * - `no_credential`: the text has none, for example a QR that was printed before credentials
 * - `unknown_key`: signed by a key that is not in the key set
 * - `list_missing`: its status list is absent, or not issued by the registry
 * - `list_expired`: its status list is too old
 */
export type UnknownReason = 'no_credential' | 'unknown_key' | 'list_missing' | 'list_expired';

interface Facts {
  /** Null until the signature is verified. */
  credential: Credential | null;
  /** When the status list was issued; null when the verdict does not depend on it. */
  listIssuedAt: Date | null;
  /** Time up to which the status list is complete, where that is more than five minutes ago, in UTC+5: `14:00`, on another day `2026-03-05 14:00`. */
  asOf: string | null;
}

export type Verdict = Facts &
  (
    | { verdict: 'valid'; reason: null; credential: Credential; listIssuedAt: Date }
    | { verdict: 'not_valid'; reason: InvalidReason }
    | { verdict: 'cannot_tell'; reason: UnknownReason }
  );

/**
 * Verifies a certificate or licence without a network, by the rules of `GET /verify/{token}` (GAT-1).
 *
 * @param text of the QR, or the credential alone; any text has a verdict
 */
export async function verifyCredential(text: string, material: VerificationMaterial): Promise<Verdict> {
  const { jwks, statusLists, at } = material;
  if (Number.isNaN(at.getTime())) throw new RangeError('`at` is not a valid date.');
  const { page, credential: token } = readScannedText(text);
  const bytes = token === null ? null : decodeToken(token);
  if (bytes === null) return cannotTell('no_credential');
  try {
    const signed = readSign1(bytes);
    const key = findKey(signed, jwks);
    if (!key) return cannotTell('unknown_key');
    if (!(await isSignedBy(signed, key))) return notValid('forged');
    const { credential, status } = readClaims(signed.claims);
    if (page !== null && page.origin !== credential.issuer) return notValid('forged');
    const outside = outsideDates(credential, at);
    if (outside !== null) return notValid(outside, { credential });
    const listToken = Object.hasOwn(statusLists, status.uri) ? statusLists[status.uri] : undefined;
    const list = listToken && (await openStatusList(listToken, status.uri, credential.issuer, jwks));
    if (!list) return cannotTell('list_missing', { credential });
    const facts = { credential, listIssuedAt: list.issuedAt, asOf: asOf(listTime(list.issuedAt, status.uri, material.completeUntil), at) };
    if (at >= list.expiresAt) return cannotTell('list_expired', facts);
    return { ...facts, ...verdictOf(statusAt(list, status.place)) };
  } catch (error) {
    // A browser without WebCrypto must not call a credential forged.
    if (!(error instanceof InvalidToken)) throw error;
    return notValid('forged');
  }
}

/** Returns the bytes of a text that a person means as a credential; null for any other text. */
function decodeToken(text: string): Bytes | null {
  try {
    const bytes = decodeBase64url(text);
    return isSign1(bytes) ? bytes : null;
  } catch {
    return null;
  }
}

function verdictOf(status: number | null) {
  if (status === null) return { verdict: 'cannot_tell', reason: 'list_missing' } as const;
  if (status === 0) return { verdict: 'valid', reason: null } as const;
  return { verdict: 'not_valid', reason: status === 2 ? 'suspended' : 'invalid' } as const;
}

/** Compares whole seconds: the last second of the validity belongs to it (GAT-4). */
function outsideDates({ validFrom, validUntil }: Credential, at: Date): 'not_yet' | 'expired' | null {
  const second = Math.floor(at.getTime() / 1000) * 1000;
  if (second < validFrom.getTime()) return 'not_yet';
  return second > validUntil.getTime() ? 'expired' : null;
}

/** Age at which a verdict names the list's time (GAT-6). */
const freshMs = 5 * 60_000;
const registryOffsetMs = 5 * 3_600_000;

/** Returns the moment up to which a list has every change; when it was issued, where the registry did not say. */
export function listTime(issuedAt: Date, uri: string, completeUntil: VerificationMaterial['completeUntil'] = {}): Date {
  return (Object.hasOwn(completeUntil, uri) ? completeUntil[uri] : undefined) ?? issuedAt;
}

function asOf(time: Date, at: Date): string | null {
  if (at.getTime() - time.getTime() <= freshMs) return null;
  const [day = '', clock = ''] = localText(time);
  return day === localText(at)[0] ? clock : `${day} ${clock}`;
}

/** Returns day and minute in UTC+5: `2026-03-05`, `14:00`. */
export function localText(instant: Date): string[] {
  return new Date(instant.getTime() + registryOffsetMs).toISOString().slice(0, 16).split('T');
}

const noFacts: Facts = { credential: null, listIssuedAt: null, asOf: null };

function notValid(reason: InvalidReason, facts: Partial<Facts> = {}): Verdict {
  return { ...noFacts, ...facts, verdict: 'not_valid', reason };
}

function cannotTell(reason: UnknownReason, facts: Partial<Facts> = {}): Verdict {
  return { ...noFacts, ...facts, verdict: 'cannot_tell', reason };
}
