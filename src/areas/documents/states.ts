import { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { endOfDay, startOfDay } from '../../platform/date-time.ts';
import type { Decision } from '../reviews/index.ts';
import { type Reminded, reminderAfter } from './expiry-reminders.ts';

export const documentStatuses = ['pending', 'approved', 'changes', 'cancelled', 'expired'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

/** A document with one of these waits for somebody or for its last day to pass; an approved one without a last day waits for nothing. */
export const livingStatuses = ['pending', 'approved', 'changes'] as const satisfies readonly DocumentStatus[];

/** What a transition looks at. `decidedAt`: instant of the last decision; `expiresAt`: `YYYY-MM-DD`, the last valid day. */
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
 * The only list of what may happen to a document, and where it leads (service.md "Document"): a decision is open from any state, and
 * whatever was decided, a change by the owner puts it before an administrator again. `nextStatus` adds what only the day can tell.
 */
export const transitions: Record<DocumentStatus, Partial<Record<DocumentAction, DocumentStatus>>> = {
  pending: { ...always, expire: 'expired', outdate: 'expired', lose_file: 'changes' },
  approved: { ...always, expire: 'expired', outdate: 'expired', lose_file: 'changes' },
  changes: { ...always, expire: 'expired', outdate: 'expired' },
  cancelled: always,
  expired: always,
};

const actions = ['approve', 'changes', 'cancel', 'edit', 'expire', 'outdate', 'lose_file'] as const satisfies readonly DocumentAction[];

/** A document is valid through the day it expires at (UTC+5), and has expired from the first instant after it, whether marked so or not. */
export function hasExpired(document: Pick<DocumentState, 'expiresAt'>, now: Date): boolean {
  return document.expiresAt !== null && now >= endOfDay(document.expiresAt);
}

/** Whether a document is past its last day on a day (`YYYY-MM-DD` in UTC+5), or marked so. */
export function isExpiredOn(document: Pick<DocumentState, 'status' | 'expiresAt'>, day: string): boolean {
  return document.status === 'expired' || hasExpired(document, startOfDay(day));
}

/** The status after an action; null when it is not possible now. What has expired cannot be approved, whether or not it is marked so. */
export function nextStatus(document: DocumentState, action: DocumentAction, now: Date): DocumentStatus | null {
  if (action === 'approve' && hasExpired(document, now)) return null;
  if (action === 'expire' && !isExpiryDue(document, now)) return null;
  if (action === 'outdate' && !hasExpired(document, now)) return null;
  return transitions[document.status][action] ?? null;
}

/** What may happen to a document now. */
export function allowedActions(document: DocumentState, now: Date): DocumentAction[] {
  return actions.filter((action) => nextStatus(document, action, now) !== null);
}

/** @returns the status after the action. @throws {DomainError} invalid_state with the status and the last day, when it is not possible now */
export function checkTransition(document: DocumentState, action: DocumentAction, now: Date): DocumentStatus {
  const next = nextStatus(document, action, now);
  if (next !== null) return next;
  const reason = action === 'approve' ? 'The document has expired and cannot be approved.' : undefined;
  throw new DomainError('invalid_state', { status: document.status, expires_at: document.expiresAt }, reason);
}

/** A document with the next reminder of its last day; null when none is left, or it is not approved. */
export interface RemindedDocument extends DocumentState {
  remindAt: Date | null;
}

/** Moves a document. @throws {DomainError} invalid_state with the status and the last day, when the action is not possible now */
export function transition(document: Locked<RemindedDocument>, action: DocumentAction, now: Date): void {
  document.status = checkTransition(document, action, now);
  setReminder(document, now);
}

/** From its approval on an owner is reminded of the last day of a document, from a correction on of the corrected one; what lies before is skipped. */
export function setReminder(document: Locked<RemindedDocument>, now: Date): void {
  const { status, expiresAt } = document;
  document.remindAt = status === 'approved' && expiresAt !== null ? reminderAfter(expiresAt, now) : null;
}

/** What its owner is reminded of; null where there is nothing of this kind. */
export function remindedOf({ status, expiresAt, remindAt }: RemindedDocument): Reminded | null {
  return status === 'approved' && expiresAt !== null ? { lastDay: expiresAt, remindAt } : null;
}

/**
 * The instant at which the document becomes `expired` by itself; null when it never does. A document returned after it had
 * expired keeps that decision: its expiry was told already. `expiresByItself` says the same in SQL (`entities.ts`).
 */
export function expiryInstant(document: DocumentState): Date | null {
  if (document.expiresAt === null || transitions[document.status].expire === undefined) return null;
  const instant = endOfDay(document.expiresAt);
  const isToldAlready = document.status === 'changes' && document.decidedAt !== null && document.decidedAt >= instant;
  return isToldAlready ? null : instant;
}

/** Whether the document has to be marked `expired` now. */
export function isExpiryDue(document: DocumentState, now: Date): boolean {
  const instant = expiryInstant(document);
  return instant !== null && now >= instant;
}
