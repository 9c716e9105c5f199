import { lastDayOfYear } from '../../../platform/time/date-time.ts';
import { countsOn, countsUntil, type RequiredDocument, requiredOn, type Requirements, type ServiceKind } from '../../catalog/index.ts';
import { isExpiredOn } from '../../documents/index.ts';
import { needsOf, type PartNeed, type ProfileStep, type SteppedProfile } from '../../profiles/index.ts';
import { statusAt } from '../../wallet/index.ts';
import type { ApplicationRecord, AttachedDocument, HolderProfile } from '../record.ts';
import { type ApplicationStatus, isLiving, isPaid, nextStatus } from '../states.ts';
import { hasEnded, judgedDay } from '../year.ts';

/** The party whose action is needed. */
export type WaitingFor = 'owner' | 'administrator' | 'bank';

/** A request that `waiting_for` can send now and that moves the rule; the path is relative to `{base_url}/api/v1`. */
interface Fix {
  method: 'POST' | 'PATCH';
  path: string;
}

/** A readiness rule and its result (APP-4). */
export interface ReadinessRule {
  /** `submitted` (also: submitted again after a replacement), `profile`, `photo`, the code of a required document, `document:{id}` for another attached one, `files`, `payment`, `dates`. */
  rule: string;
  ok: boolean;
  /** Null when no action helps. */
  waiting_for: WaitingFor | null;
  /** Null also while another step must come first. */
  fix: Fix | null;
}

/** The input of the readiness rules; `factsOf` builds it from a record. */
export interface ReadinessFacts {
  applicationId: number;
  /** Of the service. */
  kind: ServiceKind;
  status: ApplicationStatus;
  /** It has ended, so no action helps (APP-13). */
  isOver: boolean;
  /** Documents behind its certificate were replaced and not yet submitted. */
  isResubmissionDue: boolean;
  /** Whether the service still sells the chosen territory, as the submission of a draft needs. */
  isTerritorySold: boolean;
  /** The calendar year of the application. */
  year: number;
  /** The day to check for, `YYYY-MM-DD` in UTC+5. */
  day: string;
  profile: Omit<HolderProfile, 'name' | 'citizenship' | 'names'>;
  requiredDocuments: RequiredDocument[];
  documents: AttachedDocument[];
  payment: PaymentFacts;
}

/** Amounts in tiyn. */
interface PaymentFacts {
  amountMinor: number;
  isPaid: boolean;
  balanceMinor: number;
  /** Sum of the invoices that wait for the bank. */
  pendingMinor: number;
  /** Invoices without the bank's form. */
  createdInvoices: readonly { id: number; amountMinor: number }[];
}

/** Builds the input of the readiness rules for an instant (APP-4). */
export function factsOf(record: ApplicationRecord, now: Date): ReadinessFacts {
  const { application, service, profile, documents, balanceMinor } = record;
  const invoicesAt = (status: 'created' | 'pending') => record.openInvoices.filter((invoice) => statusAt(invoice, now) === status);
  return {
    applicationId: application.id,
    kind: application.kind,
    status: application.status,
    isOver: !isLiving(application.status) || hasEnded(record, now),
    isResubmissionDue: application.resubmissionDueSince !== null,
    isTerritorySold: application.data.insurance_territory === 'KZ' || service.cisMrp !== null,
    year: application.year,
    day: judgedDay(application.year, now),
    profile,
    requiredDocuments: service.requiredDocuments,
    documents,
    payment: {
      amountMinor: application.amountMinor,
      isPaid: isPaid(application),
      balanceMinor,
      pendingMinor: invoicesAt('pending').reduce((sum, { amountMinor }) => sum + amountMinor, 0),
      createdInvoices: invoicesAt('created'),
    },
  };
}

const reviewFix: Fix = { method: 'POST', path: '/admin/review' };

/**
 * Evaluates every readiness rule (APP-4).
 *
 * Submission, payment, automatic approval, the administrator's review and `GET /applications/{id}/readiness` all use it. A fee only
 * needs its payment (APP-17). An ended application names no step.
 */
export function assessReadiness(facts: ReadinessFacts): ReadinessRule[] {
  const rules =
    facts.kind === 'event_fee' ? [paymentRule(facts)] : [submittedRule(facts), ...rulesBehind(facts), paymentRule(facts), datesRule(facts)];
  return facts.isOver ? rules.map((rule) => ({ ...rule, waiting_for: null, fix: null })) : rules;
}

/** The rules about the records behind the application: profile, photo, documents and files. */
function rulesBehind(facts: ReadinessFacts): ReadinessRule[] {
  const counted = countedDocuments(facts);
  const required = requiredOn(requirementsOf(facts), facts.day);
  const satisfying = required.map((requirement) => bestOf(requirement, counted, facts.day));
  const others = counted.filter((document) => !satisfying.includes(document));
  return [
    ...assessProfile(facts.profile),
    ...required.map((requirement, index) => documentRule(requirement.code, satisfying[index] ?? null, facts)),
    ...others.map((document) => documentRule(`document:${document.id}`, document, facts)),
    filesRule(facts, counted),
  ];
}

/** Evaluates the rules of a profile: its data, and an athlete's photo (PRO-11). */
export function assessProfile(profile: SteppedProfile & { id: number }): ReadinessRule[] {
  const { data, photo } = needsOf(profile);
  return [profileRule('profile', data, profile), ...(profile.kind === 'athlete' ? [profileRule('photo', photo, profile)] : [])];
}

export function isReady(rules: readonly ReadinessRule[]): boolean {
  return rules.every((rule) => rule.ok);
}

/** Returns the party that must act first: owner, then bank, then administrator; null when no action helps. */
export function waitingForFirst(rules: readonly ReadinessRule[]): WaitingFor | null {
  const order: WaitingFor[] = ['owner', 'bank', 'administrator'];
  return order.find((party) => rules.some((rule) => rule.waiting_for === party)) ?? null;
}

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
  return rulesBehind(facts).filter((rule) => !rule.ok);
}

function requirementsOf({ requiredDocuments, profile: { birthDate } }: ReadinessFacts): Requirements {
  return { requiredDocuments, birthDate };
}

/** Lists the attached documents without those that are no longer required on the day (APP-20). */
export function countedDocuments(facts: ReadinessFacts): AttachedDocument[] {
  return facts.documents.filter((document) => countsOn(countsUntil(document, requirementsOf(facts)), facts.day));
}

/** Returns the best of the attached documents that fit the requirement. */
function bestOf(requirement: RequiredDocument, documents: readonly AttachedDocument[], day: string): AttachedDocument | null {
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

function submittedRule(facts: ReadinessFacts): ReadinessRule {
  const { status, isResubmissionDue, isTerritorySold, applicationId } = facts;
  if (status === 'submitted' || (status === 'approved' && !isResubmissionDue)) return met('submitted');
  if (missingForSubmission(facts).length > 0) return unmet('submitted', 'owner', null);
  if (status === 'draft' && !isTerritorySold)
    return unmet('submitted', 'owner', { method: 'PATCH', path: `/applications/${applicationId}` });
  return unmet('submitted', 'owner', { method: 'POST', path: `/applications/${applicationId}/submit` });
}

function profileRule(rule: 'profile' | 'photo', need: PartNeed | null, { id }: { id: number }): ReadinessRule {
  if (need === null) return met(rule);
  const fixes: Record<ProfileStep, Fix> = {
    add: { method: 'PATCH', path: `/profiles/${id}` },
    correct: { method: 'PATCH', path: `/profiles/${id}` },
    submit: { method: 'POST', path: `/profiles/${id}/submit` },
    review: reviewFix,
  };
  return unmet(rule, need.waitingFor, need.step && fixes[need.step]);
}

function documentRule(rule: string, document: AttachedDocument | null, { applicationId, day }: ReadinessFacts): ReadinessRule {
  const replace: Fix = { method: 'PATCH', path: `/applications/${applicationId}` };
  if (document === null || isExpiredOn(document, day)) return unmet(rule, 'owner', replace);
  if (document.status === 'approved') return met(rule);
  return document.status === 'pending' ? unmet(rule, 'administrator', reviewFix) : unmet(rule, 'owner', replace);
}

function filesRule({ profile, applicationId }: ReadinessFacts, documents: readonly AttachedDocument[]): ReadinessRule {
  if (profile.photoId !== null && !profile.isPhotoAvailable)
    return unmet('files', 'owner', { method: 'PATCH', path: `/profiles/${profile.id}` });
  if (documents.every((document) => document.isFileAvailable)) return met('files');
  return unmet('files', 'owner', { method: 'PATCH', path: `/applications/${applicationId}` });
}

/**
 * Waits for the bank only while balance and pending invoices together cover the price. What the owner can do begins with the submission.
 */
function paymentRule({ payment, status, kind, applicationId }: ReadinessFacts): ReadinessRule {
  if (isSettled(payment)) return met('payment');
  const { amountMinor, balanceMinor, pendingMinor, createdInvoices } = payment;
  const fix = (path: string): Fix | null => (nextStatus({ status, kind }, 'pay') === null ? null : { method: 'POST', path });
  if (balanceMinor >= amountMinor) return unmet('payment', 'owner', fix(`/applications/${applicationId}/pay`));
  const coming = balanceMinor + pendingMinor;
  if (coming >= amountMinor) return unmet('payment', 'bank', null);
  const createdMinor = createdInvoices.reduce((sum, invoice) => sum + invoice.amountMinor, 0);
  const [largest] = createdInvoices.toSorted((left, right) => right.amountMinor - left.amountMinor);
  const isEnough = largest !== undefined && coming + createdMinor >= amountMinor;
  return unmet('payment', 'owner', fix(isEnough ? `/invoices/${largest.id}/checkout` : '/invoices'));
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
