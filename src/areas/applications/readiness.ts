import { ageOn, dayOf, endOfYear, lastDayOfYear } from '../../platform/date-time.ts';
import type { RequiredDocument, ServiceKind } from '../catalog/index.ts';
import { isExpiredOn, isReminderDue, type Reminded } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import type { Application } from './entities.ts';
import type { ApplicationRecord, AttachedDocument, HolderProfile } from './record.ts';
import { type ApplicationStatus, isLiving, nextStatus } from './states.ts';

/** The party whose action is needed. */
export type WaitingFor = 'owner' | 'administrator' | 'bank';

/** The request that fulfils the rule; the path is relative to `{base_url}/api/v1`. */
interface Fix {
  method: 'POST' | 'PATCH';
  path: string;
}

/** A readiness rule and its result (APP-4). */
export interface ReadinessRule {
  /** `submitted` (also: submitted again after a replacement), `profile`, `photo`, the code of a required document, `document:{id}` for another attached one, `files`, `payment`, `dates`. */
  rule: string;
  ok: boolean;
  waiting_for: WaitingFor | null;
  fix: Fix | null;
}

/** The input of the readiness rules; `factsOf` builds it from a record. */
export interface ReadinessFacts {
  applicationId: number;
  /** Of the service. */
  kind: ServiceKind;
  status: ApplicationStatus;
  /** Documents behind its certificate were replaced and not yet submitted. */
  isResubmissionDue: boolean;
  /** The calendar year of the application. */
  year: number;
  /** The day to check for, `YYYY-MM-DD` in UTC+5. */
  day: string;
  profile: Omit<HolderProfile, 'name' | 'citizenship' | 'names'>;
  requiredDocuments: RequiredDocument[];
  documents: AttachedDocument[];
  payment: { amountMinor: number; isPaid: boolean; balanceMinor: number; hasInvoiceAtBank: boolean };
}

/** Builds the input of the readiness rules for the day of an instant (APP-4). */
export function factsOf(
  { application, service, profile, documents, balanceMinor, hasInvoiceAtBank }: ApplicationRecord,
  now: Date,
): ReadinessFacts {
  return {
    applicationId: application.id,
    kind: application.kind,
    status: application.status,
    isResubmissionDue: application.resubmissionDueSince !== null,
    year: application.year,
    day: dayOf(now),
    profile,
    requiredDocuments: service.requiredDocuments,
    documents,
    payment: { amountMinor: application.amountMinor, isPaid: application.paid, balanceMinor, hasInvoiceAtBank },
  };
}

export const adultAge = 18;
const reviewFix: Fix = { method: 'POST', path: '/admin/review' };

/**
 * Evaluates every readiness rule (APP-4).
 *
 * Submission, payment, automatic approval, the administrator's review and `GET /applications/{id}/readiness` all use it. A fee only
 * needs its payment (APP-17).
 */
export function assessReadiness(facts: ReadinessFacts): ReadinessRule[] {
  if (facts.kind === 'event_fee') return [paymentRule(facts)];
  const required = requiredNow(facts);
  const satisfying = required.map((requirement) => bestOf(requirement, facts));
  const others = facts.documents.filter((document) => !satisfying.includes(document));
  return [
    submittedRule(facts),
    reviewRule('profile', facts.profile.status, facts.profile.id),
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

/** Returns the party that must act first: owner, then bank, then administrator; null when no action helps. */
export function waitingForFirst(rules: readonly ReadinessRule[]): WaitingFor | null {
  const order: WaitingFor[] = ['owner', 'bank', 'administrator'];
  return order.find((party) => rules.some((rule) => rule.waiting_for === party)) ?? null;
}

/** Rules about the application itself, not about the records behind it. */
const ownRules = new Set(['submitted', 'payment', 'dates']);

/**
 * Lists the rules that prevent submission: profile, photo, documents and files that the owner must correct, and a refused profile (APP-3).
 *
 * A record that waits for its review does not prevent submission.
 */
export function missingForSubmission(facts: ReadinessFacts): string[] {
  return unmetBehind(facts)
    .filter((rule) => rule.waiting_for === 'owner' || (rule.rule === 'profile' && facts.profile.status === 'cancelled'))
    .map((rule) => rule.rule);
}

/**
 * Whether the owner may replace documents of a submitted or approved application (APP-10).
 *
 * Submitted: when a record behind it was returned, refused or has expired. Approved: when any record behind it is not approved, or a
 * replacement is not submitted yet.
 */
export function needsCorrection(facts: ReadinessFacts): boolean {
  if (facts.status !== 'approved') return missingForSubmission(facts).length > 0;
  return facts.isResubmissionDue || unmetBehind(facts).length > 0;
}

function unmetBehind(facts: ReadinessFacts): ReadinessRule[] {
  return assessReadiness(facts).filter((rule) => !rule.ok && !ownRules.has(rule.rule));
}

/** Lists linked documents that are expired, by the clock or by status. */
export function expiredDocuments({ documents, day }: Pick<ReadinessFacts, 'documents' | 'day'>): AttachedDocument[] {
  return documents.filter((document) => isExpiredOn(document, day));
}

/** Returns the required documents of the day; those `onlyMinors` apply to minors alone (CAT-6). */
function requiredNow({ requiredDocuments, profile, day }: ReadinessFacts): RequiredDocument[] {
  const isMinor = profile.birthDate !== null && ageOn(profile.birthDate, day) < adultAge;
  return requiredDocuments.filter((requirement) => !requirement.onlyMinors || isMinor);
}

/** Returns the best of the attached documents that fit the requirement. */
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

function photoRule({ profile }: ReadinessFacts): ReadinessRule {
  if (profile.photoId === null) return unmet('photo', 'owner', { method: 'PATCH', path: `/profiles/${profile.id}` });
  return reviewRule('photo', profile.photoStatus, profile.id);
}

function reviewRule(rule: string, status: ReviewStatus, profileId: number): ReadinessRule {
  if (status === 'approved') return met(rule);
  if (status === 'pending') return unmet(rule, 'administrator', reviewFix);
  if (status === 'draft') return unmet(rule, 'owner', { method: 'POST', path: `/profiles/${profileId}/submit` });
  // The owner can replace a refused photo, but cannot change a refused profile: only an administrator can approve it.
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
  if (profile.photoId !== null && !profile.isPhotoAvailable)
    return unmet('files', 'owner', { method: 'PATCH', path: `/profiles/${profile.id}` });
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
 * Fails only after the application's year: the dates have defaults (APP-8). No action helps then, because the application closes.
 */
function datesRule({ year, day }: ReadinessFacts): ReadinessRule {
  return day <= lastDayOfYear(year) ? met('dates') : unmet('dates', null, null);
}

/** Whether nothing is left to pay; a free service needs no payment. */
export function isSettled(payment: { isPaid: boolean; amountMinor: number }): boolean {
  return payment.isPaid || payment.amountMinor === 0;
}

function met(rule: string): ReadinessRule {
  return { rule, ok: true, waiting_for: null, fix: null };
}

function unmet(rule: string, waitingFor: WaitingFor | null, fix: Fix | null): ReadinessRule {
  return { rule, ok: false, waiting_for: waitingFor, fix };
}

/** An automatic step of the process. `return`: back to the owner; `remind`: of the certificate's last day. */
export type DueStep = 'close' | 'return' | 'approve' | 'remind';

/**
 * Returns the step that is due for an application at an instant, in this order:
 * - `close` when its year has ended (APP-13)
 * - `return` when a linked document has expired by the clock, marked or not (APP-11)
 * - `approve` for a national certificate or a fee that is ready (APP-5)
 * - `remind` of the certificate's last day (APP-16)
 *
 * The process and the commands share this function.
 */
export function dueStep(record: ApplicationRecord, now: Date): DueStep | null {
  const { status, kind } = record.application;
  if (!isLiving(status)) return null;
  if (hasYearEnded(record.application, now)) return 'close';
  const mayLapse = nextStatus(record.application, 'lapse') !== null;
  const facts = factsOf(record, now);
  if (mayLapse && expiredDocuments(facts).length > 0) return 'return';
  const approvesItself = (kind === 'national_certificate' || kind === 'event_fee') && status === 'submitted';
  if (approvesItself && isReady(assessReadiness(facts))) return 'approve';
  const reminded = remindedOf(record);
  return reminded !== null && isReminderDue(reminded, now) ? 'remind' : null;
}

/**
 * Whether the application's year has ended (APP-13). A fee lives as long as its event, whatever the year (APP-17).
 */
export function hasYearEnded({ year, kind }: Pick<Application, 'year' | 'kind'>, now: Date): boolean {
  return kind !== 'event_fee' && now >= endOfYear(year);
}

/** Returns the reminder of an issued certificate while its application lives, otherwise null (APP-16). */
export function remindedOf({ application, certificate }: Pick<ApplicationRecord, 'application' | 'certificate'>): Reminded | null {
  if (certificate === null || !isLiving(application.status)) return null;
  return { lastDay: certificate.validUntil, remindAt: application.remindAt };
}
