import { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';
import type { ServiceKind } from '../catalog/index.ts';

export const applicationStatuses = ['draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed'] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

/** Statuses in which an application lives: it has a process, which waits for somebody or for a date. */
export const livingStatuses = ['draft', 'submitted', 'changes', 'approved'] as const satisfies readonly ApplicationStatus[];

/** The others: nothing follows. */
export const endedStatuses: readonly ApplicationStatus[] = applicationStatuses.filter((status) => !isLiving(status));

/**
 * What can happen to an application.
 * `update`: its owner changes it · `correct`: its owner replaces documents that no longer stand, in an application that is
 * out of his hands · `withdraw`: its owner cancels it · `return`, `annul`: an administrator's `changes` and `cancel` ·
 * `lapse`: a linked document expired (the word is on the wire) · `close`: its year, or the competition that it is the fee of, ended.
 */
export const applicationActions = [
  'update',
  'correct',
  'submit',
  'pay',
  'approve',
  'return',
  'annul',
  'withdraw',
  'lapse',
  'close',
] as const;
export type ApplicationAction = (typeof applicationActions)[number];

/** What the table asks of an application. */
interface Standing {
  status: ApplicationStatus;
  kind: ServiceKind;
}

/**
 * The only list of what is allowed (service.md "States and transitions", decisions.md §4). An approved application stays
 * approved while its owner replaces a document behind it; verification says meanwhile that it is under correction.
 */
const transitions: Record<ApplicationStatus, Partial<Record<ApplicationAction, ApplicationStatus>>> = {
  draft: { update: 'draft', submit: 'submitted', withdraw: 'cancelled', close: 'closed' },
  submitted: {
    correct: 'changes',
    pay: 'submitted',
    approve: 'approved',
    return: 'changes',
    annul: 'cancelled',
    withdraw: 'cancelled',
    lapse: 'changes',
    close: 'closed',
  },
  changes: { update: 'changes', submit: 'submitted', annul: 'cancelled', withdraw: 'cancelled', close: 'closed' },
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

/** A fee is made by its event, only to be paid, and ends with it: its owner and administrators act on the event (decisions.md §6). */
const actionsOnFee: ReadonlySet<ApplicationAction> = new Set(['pay', 'approve', 'close']);

/** The status after an action, null where the status refuses it. */
export function nextStatus({ status, kind }: Standing, action: ApplicationAction): ApplicationStatus | null {
  if (kind === 'event_fee' && !actionsOnFee.has(action)) return null;
  return transitions[status][action] ?? null;
}

/** What the status allows; administrators see it as the available actions. */
export function allowedActions(application: Standing): ApplicationAction[] {
  return applicationActions.filter((action) => nextStatus(application, action) !== null);
}

/**
 * @returns the status after an action that the present one allows
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function requireTransition(application: Standing, action: ApplicationAction, message?: string): ApplicationStatus {
  const next = nextStatus(application, action);
  if (next === null) throw new DomainError('invalid_state', { status: application.status, allowed: allowedActions(application) }, message);
  return next;
}

/**
 * Takes an application where an action leads. Of what does not live any more nobody is reminded.
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function transition(application: Locked<Standing & { remindAt: Date | null }>, action: ApplicationAction, message?: string): void {
  application.status = requireTransition(application, action, message);
  if (!isLiving(application.status)) application.remindAt = null;
}

export function isLiving(status: ApplicationStatus): boolean {
  return livingStatuses.some((living) => living === status);
}

/** Everything that happens to an application, as the audit and its timeline name it. */
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
  /** Its owner was told that the certificate ends soon. */
  | 'reminded'
  | 'sharing_enabled'
  | 'sharing_disabled'
  /** Only in rows that the database wrote by itself: how an application stands that was changed without its step being recorded. */
  | 'carried_over';

/** In which part somebody took a step. `registry`: nobody asked for it, it had become due. */
export type StepActor = 'owner' | 'administrator' | 'registry';
