import { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';

/** Statuses of a registration. */
export const registrationStatuses = ['draft', 'submitted', 'returned', 'rejected', 'approved', 'withdrawn'] as const;
export type RegistrationStatus = (typeof registrationStatuses)[number];

/** Statuses of a submitted registration that is neither rejected nor withdrawn. */
export const standingStatuses = ['submitted', 'returned', 'approved'] as const satisfies readonly RegistrationStatus[];

/** Statuses that hold a place in the event and class; the others free it (REG-2). */
export const livingStatuses = ['draft', ...standingStatuses] as const satisfies readonly RegistrationStatus[];

/**
 * Actions on a registration. `update`, `submit`, `withdraw`: by the athlete · `approve`, `return`, `reject`: by the organizer. A lapse is
 * no action (REG-6).
 */
export const registrationActions = ['update', 'submit', 'approve', 'return', 'reject', 'withdraw'] as const;
export type RegistrationAction = (typeof registrationActions)[number];

/** Allowed actions by status, with the next status (REG-5, REG-9). */
const transitions: Record<RegistrationStatus, Partial<Record<RegistrationAction, RegistrationStatus>>> = {
  draft: { update: 'draft', submit: 'submitted', withdraw: 'withdrawn' },
  submitted: { approve: 'approved', return: 'returned', reject: 'rejected', withdraw: 'withdrawn' },
  returned: { update: 'returned', submit: 'submitted', withdraw: 'withdrawn' },
  approved: { withdraw: 'withdrawn' },
  rejected: {},
  withdrawn: {},
};

/** The status after an action, null where the status refuses it. */
export function nextStatus(status: RegistrationStatus, action: RegistrationAction): RegistrationStatus | null {
  return transitions[status][action] ?? null;
}

export function allowedActions(status: RegistrationStatus): RegistrationAction[] {
  return registrationActions.filter((action) => nextStatus(status, action) !== null);
}

/** Builds the refusal of an action: invalid_state, with the status and its allowed actions. */
export function refusedAction(status: RegistrationStatus): DomainError {
  return new DomainError('invalid_state', { status, allowed: allowedActions(status) });
}

/**
 * Applies an action to a registration.
 * @throws {DomainError} invalid_state, with the status and its allowed actions
 */
export function transition(registration: Locked<{ status: RegistrationStatus }>, action: RegistrationAction): void {
  const next = nextStatus(registration.status, action);
  if (next === null) throw refusedAction(registration.status);
  registration.status = next;
}

export function isLiving(status: RegistrationStatus): boolean {
  return livingStatuses.some((living) => living === status);
}
