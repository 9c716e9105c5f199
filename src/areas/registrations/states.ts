import { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';

/** Where an athlete's request to take part stands (decisions.md §6 "Registrations"). */
export const registrationStatuses = ['draft', 'submitted', 'returned', 'rejected', 'approved', 'withdrawn'] as const;
export type RegistrationStatus = (typeof registrationStatuses)[number];

/** Those by which an athlete takes part, or is about to: handed in, so that the organizer is shown them, and not refused or given up since. */
export const standingStatuses = ['submitted', 'returned', 'approved'] as const satisfies readonly RegistrationStatus[];

/** Those that hold their place in the event and class; the others have freed it. */
export const livingStatuses = ['draft', ...standingStatuses] as const satisfies readonly RegistrationStatus[];

/**
 * What can happen to a registration. `update`: its athlete changes what it says · `submit`, `withdraw`: the athlete's too · `approve`,
 * `return`, `reject`: decisions of the organizer. That it is no longer eligible changes no status.
 */
export const registrationActions = ['update', 'submit', 'approve', 'return', 'reject', 'withdraw'] as const;
export type RegistrationAction = (typeof registrationActions)[number];

/** The only list of what is allowed (decisions.md §6 "Registrations"): the organizer decides once on what was submitted. */
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

/** The refusal of an action that the status does not allow: invalid_state, with the status and what it allows. */
export function refusedAction(status: RegistrationStatus): DomainError {
  return new DomainError('invalid_state', { status, allowed: allowedActions(status) });
}

/**
 * Takes a registration where an action leads.
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function transition(registration: Locked<{ status: RegistrationStatus }>, action: RegistrationAction): void {
  const next = nextStatus(registration.status, action);
  if (next === null) throw refusedAction(registration.status);
  registration.status = next;
}

export function isLiving(status: RegistrationStatus): boolean {
  return livingStatuses.some((living) => living === status);
}
