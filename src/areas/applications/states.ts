import { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';
import type { ServiceKind } from '../catalog/index.ts';

export const applicationStatuses = ['draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed'] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

/** Statuses of a living application: its process runs and waits for a person or a date. */
export const livingStatuses = ['draft', 'submitted', 'changes', 'approved'] as const satisfies readonly ApplicationStatus[];

/** Final statuses. */
export const endedStatuses: readonly ApplicationStatus[] = applicationStatuses.filter((status) => !isLiving(status));

/**
 * Actions on an application.
 * - `update`: the owner changes a draft or a returned application
 * - `correct`: the owner replaces documents of a submitted or approved one (APP-10)
 * - `cancel`: the owner ends it (APP-12)
 * - `return`, `annul`: an administrator's `changes` and `cancel`
 * - `lapse`: a linked document expired (APP-11)
 * - `close`: its year ended (APP-13), or the fee's competition ended (APP-17)
 */
export const applicationActions = ['update', 'correct', 'submit', 'pay', 'approve', 'return', 'annul', 'cancel', 'lapse', 'close'] as const;
export type ApplicationAction = (typeof applicationActions)[number];

/** The fields that determine the allowed transitions. */
interface ApplicationState {
  status: ApplicationStatus;
  kind: ServiceKind;
}

/**
 * The only table of allowed actions (APP-2). An approved application stays `approved` while its owner replaces a document;
 * verification answers `under_correction` meanwhile (VER-5).
 */
const transitions: Record<ApplicationStatus, Partial<Record<ApplicationAction, ApplicationStatus>>> = {
  draft: { update: 'draft', submit: 'submitted', cancel: 'cancelled', close: 'closed' },
  submitted: {
    correct: 'changes',
    pay: 'submitted',
    approve: 'approved',
    return: 'changes',
    annul: 'cancelled',
    cancel: 'cancelled',
    lapse: 'changes',
    close: 'closed',
  },
  changes: { update: 'changes', submit: 'submitted', annul: 'cancelled', cancel: 'cancelled', close: 'closed' },
  approved: {
    correct: 'approved',
    submit: 'approved',
    approve: 'approved',
    return: 'changes',
    annul: 'cancelled',
    lapse: 'changes',
    close: 'closed',
  },
  cancelled: {},
  closed: {},
};

/** A fee is only paid, settled and closed; owner and administrators act on its event (APP-17). */
const actionsOnFee: ReadonlySet<ApplicationAction> = new Set(['pay', 'approve', 'close']);

/** Returns the status after an action, null when the present status does not allow it. */
export function nextStatus({ status, kind }: ApplicationState, action: ApplicationAction): ApplicationStatus | null {
  if (kind === 'event_fee' && !actionsOnFee.has(action)) return null;
  return transitions[status][action] ?? null;
}

/** Lists the actions that the status allows; administrators see them as available actions. */
export function allowedActions(application: ApplicationState): ApplicationAction[] {
  return applicationActions.filter((action) => nextStatus(application, action) !== null);
}

/**
 * @returns the status after an allowed action
 * @throws {DomainError} invalid_state, with the status and its allowed actions
 */
export function requireTransition(application: ApplicationState, action: ApplicationAction, message?: string): ApplicationStatus {
  const next = nextStatus(application, action);
  if (next === null) throw new DomainError('invalid_state', { status: application.status, allowed: allowedActions(application) }, message);
  return next;
}

/**
 * Applies an action to the status. An ended application gets no more reminders (APP-16).
 * @throws {DomainError} invalid_state, with the status and its allowed actions
 */
export function transition(
  application: Locked<ApplicationState & { remindAt: Date | null }>,
  action: ApplicationAction,
  message?: string,
): void {
  application.status = requireTransition(application, action, message);
  if (!isLiving(application.status)) application.remindAt = null;
}

/** Statuses of an application whose certificate counts as issued. */
export const issuedStatuses = ['submitted', 'changes', 'approved', 'closed'] as const satisfies readonly ApplicationStatus[];

/**
 * Whether a certificate counts as issued: it has a number and was not annulled, also after its year (APP-21). In SQL: the joined
 * certificate and `issuedStatuses`.
 */
export function isIssued({ status, hasCertificate }: { status: ApplicationStatus; hasCertificate: boolean }): boolean {
  return hasCertificate && issuedStatuses.some((issued) => issued === status);
}

/** Whether it is paid and the money was not returned (WAL-12). In SQL: `paid and refund_transaction_id is null`. */
export function isPaid({ paid, refundTransactionId }: { paid: boolean; refundTransactionId: number | null }): boolean {
  return paid && refundTransactionId === null;
}

export function isLiving(status: ApplicationStatus): boolean {
  return livingStatuses.some((living) => living === status);
}

/** Steps of an application, as named in audit and timeline (APP-18). */
export type ApplicationStep =
  | 'created'
  | 'updated'
  | 'submitted'
  | 'paid'
  | 'approved'
  | 'returned'
  | 'cancelled'
  | 'lapsed'
  | 'refunded'
  | 'closed'
  /** The owner was reminded of the certificate's last day (APP-16). */
  | 'reminded'
  | 'sharing_enabled'
  | 'sharing_disabled'
  /** Only in rows that the database writes: a change of the application without a recorded step. */
  | 'carried_over';

/** Role that took a step. `registry`: the step was due, no user asked for it. */
export type StepActor = 'owner' | 'administrator' | 'registry';
