import { startOfDay } from '../../platform/time/date-time.ts';
import type { ApplicationStatus } from '../applications/index.ts';
import { countsOn } from '../catalog/index.ts';
import { type DocumentStatus, hasExpired } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';

export const verificationStates = [
  'valid',
  'expired',
  'not_started',
  'annulled',
  'under_correction',
  'under_review',
  'draft',
  'unpaid',
  'incomplete',
] as const;
export type VerificationState = (typeof verificationStates)[number];

/** A profile or photo that an administrator reviews. */
export interface ReviewedPart {
  status: ReviewStatus;
  /** It has an administrator's note: it was returned and not approved since. */
  hasNote: boolean;
}

/** The stored facts that decide validity; days are `YYYY-MM-DD` in UTC+5. */
export interface ValidityFacts {
  status: ApplicationStatus;
  /** True also for a free service. */
  isPaid: boolean;
  /** Documents were replaced and the application is not submitted again yet. */
  isResubmissionDue: boolean;
  validFrom: string;
  validUntil: string;
  profile: ReviewedPart;
  /** Null for an organizer, who needs no photo. */
  photo: (ReviewedPart & { isPresent: boolean }) | null;
  documents: readonly DocumentBehind[];
}

/** A document attached to the application. */
export interface DocumentBehind {
  status: DocumentStatus;
  expiresAt: string | null;
  /** The first day on which it is no longer required; null or absent when it always counts (APP-20). */
  countsUntil?: string | null;
}

/**
 * Returns the state of a certificate on a day. Only `valid` is in force; every other state gives the reason (VER-2).
 *
 * The facts are the present ones, or those at the end of a past day (VER-4). Expiry follows from the day alone, so a late timer does
 * not matter (VER-1). A document that is no longer required does not matter either (APP-20). An expired document gives `under_correction`, because the application returns to its owner (VER-5).
 * Of several reasons the most final one counts.
 */
export function stateOn(facts: ValidityFacts, day: string): VerificationState {
  if (facts.status === 'cancelled') return 'annulled';
  if (facts.status === 'draft') return 'draft';
  if (day > facts.validUntil) return 'expired';
  if (day < facts.validFrom) return 'not_started';
  if (!facts.isPaid) return 'unpaid';
  if (facts.photo && !facts.photo.isPresent) return 'incomplete';
  const reasons = [reasonOfApplication(facts), reasonOfPart(facts.profile), facts.photo && reasonOfPart(facts.photo)];
  for (const document of documentsBehindOn(facts, day)) reasons.push(documentReasonOn(document, day));
  return reasons.find((reason) => reason === 'under_correction') ?? reasons.find((reason) => reason !== null) ?? 'valid';
}

/** Lists the documents that count on a day, `YYYY-MM-DD` (APP-20). */
export function documentsBehindOn<Behind extends DocumentBehind>({ documents }: { documents: readonly Behind[] }, day: string): Behind[] {
  return documents.filter((document) => countsOn(document.countsUntil ?? null, day));
}

type Reason = 'under_correction' | 'under_review' | null;

/** Returns why the application makes the certificate invalid. `closed` is no reason: closing happens only after the last day. */
function reasonOfApplication({ status, isResubmissionDue }: Pick<ValidityFacts, 'status' | 'isResubmissionDue'>): Reason {
  if (status === 'changes' || isResubmissionDue) return 'under_correction';
  return status === 'submitted' ? 'under_review' : null;
}

/** Returns why a profile or photo makes it invalid. A returned one stays under correction until approved again, also in review (VER-5). */
function reasonOfPart({ status, hasNote }: ReviewedPart): Reason {
  if (status === 'approved') return null;
  return status === 'pending' && !hasNote ? 'under_review' : 'under_correction';
}

/**
 * Returns why a document makes a certificate invalid on a day, `YYYY-MM-DD`; null when it does not.
 *
 * A document with status `expired` was approved before, so it is in order on days up to its last one.
 */
export function documentReasonOn(document: { status: DocumentStatus; expiresAt: string | null }, day: string): Reason {
  if (hasExpired(document, startOfDay(day))) return 'under_correction';
  switch (document.status) {
    case 'approved':
      return null;
    case 'expired':
      return document.expiresAt === null ? 'under_correction' : null;
    case 'pending':
      return 'under_review';
    case 'changes':
    case 'cancelled':
      return 'under_correction';
  }
}
