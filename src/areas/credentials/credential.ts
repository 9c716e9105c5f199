import { startOfDay, endOfDay } from '../../platform/time/date-time.ts';
import type { ServiceKind } from '../catalog/index.ts';
import { type Claims, type ClaimValue, type Signer, signCwt } from './signed-token.ts';
import { statusListUri } from './status-list.ts';

/** The facts of a certificate that its credential names; no person (VER-10). */
export interface CertifiedFacts {
  kind: ServiceKind;
  number: string;
  category: string | null;
  /** Code of the discipline. */
  discipline: string | null;
  /** Both days included, `YYYY-MM-DD`. */
  validFrom: string;
  validUntil: string;
  listId: number;
  place: number;
}

const kinds: Record<ServiceKind, string> = {
  national_certificate: 'national_certificate',
  international_licence: 'international_licence',
  document: 'other',
  event_fee: 'other',
};

/**
 * Signs the credential of a certificate, in base64url (VER-10).
 * @param siteUrl public address without a trailing slash
 */
export function makeCredential(signer: Signer, siteUrl: string, facts: CertifiedFacts, now: Date): string {
  return signCwt(signer, claimsOf(siteUrl, facts, now)).toString('base64url');
}

/** The last second of a certificate's validity. */
export function lastSecond(validUntil: string): Date {
  return new Date(endOfDay(validUntil).getTime() - 1000);
}

function claimsOf(
  siteUrl: string,
  { kind, number, category, discipline, validFrom, validUntil, listId, place }: CertifiedFacts,
  now: Date,
): Claims {
  const reference = new Map<string, string | number>([
    ['idx', place],
    ['uri', statusListUri(siteUrl, listId)],
  ]);
  return new Map<number, ClaimValue>([
    [1, new URL(siteUrl).origin],
    [2, number],
    [4, seconds(lastSecond(validUntil))],
    [5, seconds(startOfDay(validFrom))],
    [6, seconds(now)],
    [65_535, new Map([['status_list', reference]])],
    [-70_001, kinds[kind]],
    [-70_002, category],
    [-70_003, discipline],
  ]);
}

/** Converts to whole seconds since 1970. */
export function seconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
