import { DomainError } from '../errors.ts';

export const applicationStatuses = ['draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed'] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

/** Statuses in which an application still has a process: it waits for somebody or for a date. */
export const liveStatuses = ['draft', 'submitted', 'changes', 'approved'] as const satisfies readonly ApplicationStatus[];

/**
 * What can happen to an application.
 * `update`: its owner changes it · `correct`: its owner replaces documents that no longer stand, in an application that is
 * out of his hands · `withdraw`: its owner cancels it · `return`, `annul`: an administrator's `changes` and `cancel` ·
 * `lapse`: a linked document expired · `close`: its year ended.
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

/** The status after an action, null where the status refuses it. */
export function nextStatus(status: ApplicationStatus, action: ApplicationAction): ApplicationStatus | null {
  return transitions[status][action] ?? null;
}

/** What the status allows; administrators see it as the available actions. */
export function allowedActions(status: ApplicationStatus): ApplicationAction[] {
  return applicationActions.filter((action) => nextStatus(status, action) !== null);
}

/** @throws {DomainError} invalid_state, with the status and what it allows */
export function requireTransition(status: ApplicationStatus, action: ApplicationAction, message?: string): ApplicationStatus {
  const next = nextStatus(status, action);
  if (next === null) throw new DomainError('invalid_state', { status, allowed: allowedActions(status) }, message);
  return next;
}

export function isLive(status: ApplicationStatus): boolean {
  return liveStatuses.some((live) => live === status);
}
