import { startOfDay } from '../../platform/date-time.ts';
import type { ApplicationStatus } from '../applications/index.ts';
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

/** Data or a photo that an administrator reviews. */
export interface ReviewedPart {
  status: ReviewStatus;
  /** An administrator's note stands on it: it was returned and has not been approved since. */
  hasNote: boolean;
}

/** The stored facts on which validity rests; days are `YYYY-MM-DD` in UTC+5. */
export interface ValidityFacts {
  status: ApplicationStatus;
  /** True also where nothing is to be paid. */
  isPaid: boolean;
  /** Documents behind it were replaced, and the application is not submitted again yet. */
  isResubmissionDue: boolean;
  validFrom: string;
  validUntil: string;
  profile: ReviewedPart;
  /** Null for a profile that needs no photo, an organizer's. */
  photo: (ReviewedPart & { isPresent: boolean }) | null;
  documents: readonly { status: DocumentStatus; expiresAt: string | null }[];
}

/**
 * Whether a certificate is in force on a day, and if not, why (service.md "Verification result", decisions.md §4). `valid` is
 * in force, every other state is not. Facts are those of this moment, for a past day those that stood when it ended; dates are held
 * against the day: a document that expired at
 * midnight counts as expired at midnight, whatever the timers have done since, and both before and after they have, the state is
 * `under_correction`, since the application returns to its owner. Among several reasons the most final one is told.
 */
export function stateOn(facts: ValidityFacts, day: string): VerificationState {
  if (facts.status === 'cancelled') return 'annulled';
  if (facts.status === 'draft') return 'draft';
  if (day > facts.validUntil) return 'expired';
  if (day < facts.validFrom) return 'not_started';
  if (!facts.isPaid) return 'unpaid';
  if (facts.photo && !facts.photo.isPresent) return 'incomplete';
  const reasons = [reasonOfApplication(facts), reasonOfPart(facts.profile), facts.photo && reasonOfPart(facts.photo)];
  for (const document of facts.documents) reasons.push(documentReasonOn(document, day));
  return reasons.find((reason) => reason === 'under_correction') ?? reasons.find((reason) => reason !== null) ?? 'valid';
}

type Reason = 'under_correction' | 'under_review' | null;

/** A closed application has closed after its dates: a day within them finds what stood on it. A replacement waits for its submission. */
function reasonOfApplication({ status, isResubmissionDue }: Pick<ValidityFacts, 'status' | 'isResubmissionDue'>): Reason {
  if (status === 'changes' || isResubmissionDue) return 'under_correction';
  return status === 'submitted' ? 'under_review' : null;
}

/** What was returned stays under correction until it is approved again, also while its correction waits for review (decisions.md §4). */
function reasonOfPart({ status, hasNote }: ReviewedPart): Reason {
  if (status === 'approved') return null;
  return status === 'pending' && !hasNote ? 'under_review' : 'under_correction';
}

/**
 * Why a document does not stand on a day, `YYYY-MM-DD`; null when it does. `expired` is a mark that time puts on an approved document: on a
 * day before it expired the document stood.
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
