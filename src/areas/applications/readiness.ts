import { ageOn, lastDayOfYear } from '../../platform/date-time.ts';
import type { DocumentType, ProfileKind, RequiredDocument, ServiceKind } from '../catalog/index.ts';
import { type DocumentStatus, isExpiredOn } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import type { ApplicationStatus } from './states.ts';

/** Whose move it is. */
export type WaitingFor = 'owner' | 'administrator' | 'bank';

/** The request that would help; the path is relative to `{base_url}/api/v1`. */
export interface Fix {
  method: 'POST' | 'PATCH';
  path: string;
}

/** One condition of approval and how it stands (decisions.md §4 "Readiness"). */
export interface ReadinessRule {
  /** `submitted` (also: submitted again after a replacement), `profile`, `photo`, the code of a required document, `document:{id}` for another attached one, `files`, `payment`, `dates`. */
  rule: string;
  ok: boolean;
  waiting_for: WaitingFor | null;
  fix: Fix | null;
}

export interface AttachedDocument {
  id: number;
  type: DocumentType;
  status: DocumentStatus;
  /** The last day on which it is valid, null for one without an end. */
  expiresAt: string | null;
  isFileAvailable: boolean;
}

/** Everything that the conditions of an application ask; `factsOf` takes it from a record. */
export interface ReadinessFacts {
  applicationId: number;
  /** Of the service. */
  kind: ServiceKind;
  status: ApplicationStatus;
  /** Documents behind its certificate were replaced and are to be submitted. */
  isResubmissionDue: boolean;
  /** The calendar year the application was made for. */
  year: number;
  /** The day for which the conditions are tested, `YYYY-MM-DD` in UTC+5. */
  day: string;
  profile: {
    id: number;
    kind: ProfileKind;
    status: ReviewStatus;
    photoStatus: ReviewStatus;
    hasPhoto: boolean;
    isPhotoAvailable: boolean;
    birthDate: string | null;
  };
  requiredDocuments: RequiredDocument[];
  documents: AttachedDocument[];
  payment: { amountMinor: number; isPaid: boolean; balanceMinor: number; hasInvoiceAtBank: boolean };
}

export const adultAge = 18;
const reviewFix: Fix = { method: 'POST', path: '/admin/review' };

/**
 * Tests every condition of approval. The one place that knows them: submission, payment, automatic approval, the
 * administrator's review and `GET /applications/{id}/readiness` all ask here. A fee is only paid (decisions.md §6).
 */
export function assessReadiness(facts: ReadinessFacts): ReadinessRule[] {
  if (facts.kind === 'event_fee') return [paymentRule(facts)];
  const required = requiredNow(facts);
  const satisfying = required.map((requirement) => bestOf(requirement, facts));
  const others = facts.documents.filter((document) => !satisfying.includes(document));
  return [
    submittedRule(facts),
    profileRule(facts),
    ...(facts.profile.kind === 'athlete' ? [photoRule(facts)] : []),
    ...required.map((requirement, index) => documentRule(requirement.code, satisfying[index] ?? null, facts)),
    ...others.map((document) => documentRule(`document:${document.id}`, document, facts)),
    filesRule(facts),
    paymentRule(facts),
    datesRule(facts),
  ];
}

export function isReady(rules: readonly ReadinessRule[]): boolean {
  return rules.every((rule) => rule.ok);
}

/** Whose move comes first: the owner's before the bank's before an administrator's; null when nobody's would help. */
export function waitingForFirst(rules: readonly ReadinessRule[]): WaitingFor | null {
  const order: WaitingFor[] = ['owner', 'bank', 'administrator'];
  return order.find((party) => rules.some((rule) => rule.waiting_for === party)) ?? null;
}

/** Conditions of the application itself and not of the records behind it. */
const ownRules = new Set(['submitted', 'payment', 'dates']);

/**
 * What keeps an application from being submitted: the rules of the profile, the photo, the documents and the files that
 * only the owner can mend, and data that was refused. What merely waits for its review does not.
 */
export function missingForSubmission(facts: ReadinessFacts): string[] {
  return unmetBehind(facts)
    .filter((rule) => rule.waiting_for === 'owner' || (rule.rule === 'profile' && facts.profile.status === 'cancelled'))
    .map((rule) => rule.rule);
}

/**
 * Whether the owner may replace documents of an application that is out of his hands: a submitted one when something behind
 * it was returned, refused or has expired, an issued one as long as anything behind it does not stand or a replacement is not
 * submitted yet (decisions.md §4).
 */
export function needsCorrection(facts: ReadinessFacts): boolean {
  if (facts.status !== 'approved') return missingForSubmission(facts).length > 0;
  return facts.isResubmissionDue || unmetBehind(facts).length > 0;
}

function unmetBehind(facts: ReadinessFacts): ReadinessRule[] {
  return assessReadiness(facts).filter((rule) => !rule.ok && !ownRules.has(rule.rule));
}

/** Linked documents that are past their last day by the clock, or marked so. */
export function expiredDocuments({ documents, day }: Pick<ReadinessFacts, 'documents' | 'day'>): AttachedDocument[] {
  return documents.filter((document) => isExpiredOn(document, day));
}

/** The consent of a parent is asked only of minors. */
function requiredNow({ requiredDocuments, profile, day }: ReadinessFacts): RequiredDocument[] {
  const isMinor = profile.birthDate !== null && ageOn(profile.birthDate, day) < adultAge;
  return requiredDocuments.filter((requirement) => !requirement.onlyMinors || isMinor);
}

/** Of the attached documents that would do, the one that stands best. */
function bestOf(requirement: RequiredDocument, { documents, day }: ReadinessFacts): AttachedDocument | null {
  const worth = (document: AttachedDocument) => {
    if (isExpiredOn(document, day)) return 0;
    return document.status === 'approved' ? 3 : document.status === 'pending' ? 2 : 1;
  };
  const fitting = documents.filter((document) => requirement.types.includes(document.type));
  return fitting.reduce<AttachedDocument | null>(
    (best, document) => (best === null || worth(document) > worth(best) ? document : best),
    null,
  );
}

function submittedRule({ status, isResubmissionDue, applicationId }: ReadinessFacts): ReadinessRule {
  if (status === 'submitted' || (status === 'approved' && !isResubmissionDue)) return met('submitted');
  return unmet('submitted', 'owner', { method: 'POST', path: `/applications/${applicationId}/submit` });
}

function profileRule({ profile }: ReadinessFacts): ReadinessRule {
  return reviewRule('profile', profile.status, profile.id);
}

function photoRule({ profile }: ReadinessFacts): ReadinessRule {
  if (!profile.hasPhoto) return unmet('photo', 'owner', { method: 'PATCH', path: `/profiles/${profile.id}` });
  return reviewRule('photo', profile.photoStatus, profile.id);
}

function reviewRule(rule: string, status: ReviewStatus, profileId: number): ReadinessRule {
  if (status === 'approved') return met(rule);
  if (status === 'pending') return unmet(rule, 'administrator', reviewFix);
  if (status === 'draft') return unmet(rule, 'owner', { method: 'POST', path: `/profiles/${profileId}/submit` });
  // A photo that was refused can be exchanged; of refused data nothing can be changed, only an administrator may think better of it.
  if (status === 'cancelled' && rule === 'profile') return unmet(rule, 'administrator', reviewFix);
  return unmet(rule, 'owner', { method: 'PATCH', path: `/profiles/${profileId}` });
}

function documentRule(rule: string, document: AttachedDocument | null, { applicationId, day }: ReadinessFacts): ReadinessRule {
  const replace: Fix = { method: 'PATCH', path: `/applications/${applicationId}` };
  if (document === null || isExpiredOn(document, day)) return unmet(rule, 'owner', replace);
  if (document.status === 'approved') return met(rule);
  return document.status === 'pending' ? unmet(rule, 'administrator', reviewFix) : unmet(rule, 'owner', replace);
}

function filesRule({ documents, profile, applicationId }: ReadinessFacts): ReadinessRule {
  if (profile.hasPhoto && !profile.isPhotoAvailable) return unmet('files', 'owner', { method: 'PATCH', path: `/profiles/${profile.id}` });
  if (documents.every((document) => document.isFileAvailable)) return met('files');
  return unmet('files', 'owner', { method: 'PATCH', path: `/applications/${applicationId}` });
}

function paymentRule({ payment, applicationId }: ReadinessFacts): ReadinessRule {
  if (isSettled(payment)) return met('payment');
  const pay: Fix = { method: 'POST', path: `/applications/${applicationId}/pay` };
  if (payment.balanceMinor >= payment.amountMinor) return unmet('payment', 'owner', pay);
  return payment.hasInvoiceAtBank ? unmet('payment', 'bank', null) : unmet('payment', 'owner', { method: 'POST', path: '/invoices' });
}

/**
 * Both dates come by themselves, from the approval day to the end of the application's year, and an administrator may narrow
 * them; so they are wanting only when the year is over. Then nobody can help: the application closes.
 */
function datesRule({ year, day }: ReadinessFacts): ReadinessRule {
  return day <= lastDayOfYear(year) ? met('dates') : unmet('dates', null, null);
}

/** Whether nothing is left to pay; a service that costs nothing needs no payment. */
export function isSettled(payment: { isPaid: boolean; amountMinor: number }): boolean {
  return payment.isPaid || payment.amountMinor === 0;
}

function met(rule: string): ReadinessRule {
  return { rule, ok: true, waiting_for: null, fix: null };
}

function unmet(rule: string, waitingFor: WaitingFor | null, fix: Fix | null): ReadinessRule {
  return { rule, ok: false, waiting_for: waitingFor, fix };
}
