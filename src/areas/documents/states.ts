import { DomainError, type FieldProblem, validationFailed } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { dayOf, endOfDay, startOfDay } from '../../platform/time/date-time.ts';
import type { Decision } from '../reviews/index.ts';
import { type Reminded, reminderAfter } from './expiry-reminders.ts';

export const documentStatuses = ['pending', 'approved', 'changes', 'cancelled', 'expired'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

/** Statuses that wait for a person or for the last day. An approved document without a last day waits for nothing. */
export const livingStatuses = ['pending', 'approved', 'changes'] as const satisfies readonly DocumentStatus[];

/** Input of a transition. `decidedAt`: instant of the last decision; `expiresAt`: `YYYY-MM-DD`, the last valid day. */
export interface DocumentState {
  status: DocumentStatus;
  expiresAt: string | null;
  decidedAt: Date | null;
}

export type DocumentAction =
  | Decision
  /** The owner changes it. */
  | 'edit'
  /** Its last day has passed. */
  | 'expire'
  /** An administrator corrects its last day to one that has passed. */
  | 'outdate'
  /** Its file was deleted. */
  | 'lose_file';

const always = { approve: 'approved', changes: 'changes', cancel: 'cancelled', edit: 'pending' } as const;

/**
 * The transition table of documents: decisions (DOC-2) and changes by the owner (DOC-7) are possible in every status.
 * `nextStatus` adds the conditions that depend on the day.
 */
export const transitions: Record<DocumentStatus, Partial<Record<DocumentAction, DocumentStatus>>> = {
  pending: { ...always, expire: 'expired', outdate: 'expired', lose_file: 'changes' },
  approved: { ...always, expire: 'expired', outdate: 'expired', lose_file: 'changes' },
  changes: { ...always, expire: 'expired', outdate: 'expired' },
  cancelled: always,
  expired: always,
};

/** Whether a document is past its last day (UTC+5), even if its status does not say so yet (DOC-1). */
export function hasExpired(document: Pick<DocumentState, 'expiresAt'>, now: Date): boolean {
  return document.expiresAt !== null && now >= endOfDay(document.expiresAt);
}

/** Whether a document is past its last day on a day (`YYYY-MM-DD` in UTC+5), or has the status `expired`. */
export function isExpiredOn(document: Pick<DocumentState, 'status' | 'expiresAt'>, day: string): boolean {
  return document.status === 'expired' || hasExpired(document, startOfDay(day));
}

/** The status after an action; null when it is not possible now. A document past its last day cannot be approved (DOC-2). */
export function nextStatus(document: DocumentState, action: DocumentAction, now: Date): DocumentStatus | null {
  if (action === 'approve' && hasExpired(document, now)) return null;
  if (action === 'expire' && !isExpiryDue(document, now)) return null;
  if (action === 'outdate' && !hasExpired(document, now)) return null;
  return transitions[document.status][action] ?? null;
}

/** @returns the status after the action. @throws {DomainError} invalid_state with the status and the last day, when it is not possible now */
export function checkTransition(document: DocumentState, action: DocumentAction, now: Date): DocumentStatus {
  const next = nextStatus(document, action, now);
  if (next !== null) return next;
  const reason = action === 'approve' ? 'The document has expired and cannot be approved.' : undefined;
  throw new DomainError('invalid_state', { status: document.status, expires_at: document.expiresAt }, reason);
}

/** `remindAt`: the next reminder of the last day; null when none is left or the document is not approved. */
export interface RemindedDocument extends DocumentState {
  remindAt: Date | null;
}

/** `statusSince`: since when the document has its status. */
export interface ReviewedDocument extends RemindedDocument {
  statusSince: Date;
}

/** Applies an action to a document; one that waits already keeps its place in the queue (REV-3). @throws {DomainError} invalid_state with the status and the last day, when it is not possible now */
export function transition(document: Locked<ReviewedDocument>, action: DocumentAction, now: Date): void {
  const next = checkTransition(document, action, now);
  if (next !== document.status) document.statusSince = now;
  document.status = next;
  setReminder(document, now);
}

/** Sets the next reminder after an approval or a corrected last day; thresholds already past are skipped (DOC-5). */
export function setReminder(document: Locked<RemindedDocument>, now: Date): void {
  const { status, expiresAt } = document;
  document.remindAt = status === 'approved' && expiresAt !== null ? reminderAfter(expiresAt, now) : null;
}

/** The last day and its next reminder; null for a document that has no reminders. */
export function remindedOf({ status, expiresAt, remindAt }: RemindedDocument): Reminded | null {
  return status === 'approved' && expiresAt !== null ? { lastDay: expiresAt, remindAt } : null;
}

/**
 * The instant at which the document becomes `expired` (DOC-1); null when it never does. A document returned after its last day
 * keeps that decision: its expiry was announced already. `expiresAutomatically` is the same in SQL (`entities.ts`).
 */
export function expiryInstant(document: DocumentState): Date | null {
  if (document.expiresAt === null || transitions[document.status].expire === undefined) return null;
  const instant = endOfDay(document.expiresAt);
  const isAnnounced = document.status === 'changes' && document.decidedAt !== null && document.decidedAt >= instant;
  return isAnnounced ? null : instant;
}

/** Whether the document must become `expired` now. */
export function isExpiryDue(document: DocumentState, now: Date): boolean {
  const instant = expiryInstant(document);
  return instant !== null && now >= instant;
}

/** Days of a document, `YYYY-MM-DD`. */
interface DocumentDates {
  issuedAt: string | null;
  expiresAt: string | null;
}

/** Checks the days of a document that its owner sends (DOC-4). @throws {DomainError} validation_failed */
export function checkDates(dates: DocumentDates, now: Date): void {
  const problems = problemsOfIssue(dates, now);
  const { expiresAt } = dates;
  if (expiresAt !== null && expiresAt < dayOf(now))
    problems.push({ path: 'body.expires_at', code: 'expired', message: 'has passed: the document is no longer valid' });
  if (problems.length > 0) throw validationFailed(problems);
}

/** Checks the days of a corrected document, which may have expired (DOC-4, DOC-6). @throws {DomainError} validation_failed */
export function checkIssue(dates: DocumentDates, now: Date): void {
  const problems = problemsOfIssue(dates, now);
  if (problems.length > 0) throw validationFailed(problems);
}

function problemsOfIssue({ issuedAt, expiresAt }: DocumentDates, now: Date): FieldProblem[] {
  const today = dayOf(now);
  const problems: FieldProblem[] = [];
  if (issuedAt !== null && issuedAt > today) problems.push({ path: 'body.issued_at', code: 'in_future', message: 'is in the future' });
  if (issuedAt !== null && expiresAt !== null && issuedAt > expiresAt) {
    problems.push({ path: 'body.issued_at', code: 'after_expires_at', message: 'is after expires_at' });
  }
  return problems;
}
