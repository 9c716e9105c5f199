import { defineTransitions } from '../../platform/commands/transitions.ts';

export const registrationStatuses = ['draft', 'submitted', 'returned', 'rejected', 'approved', 'withdrawn'] as const;
export type RegistrationStatus = (typeof registrationStatuses)[number];

/** Statuses of a submitted registration that is neither rejected nor withdrawn. */
export const standingStatuses = ['submitted', 'returned', 'approved'] as const satisfies readonly RegistrationStatus[];

/** Statuses that hold a place in the event and class; the others free it (REG-2). */
export const livingStatuses = ['draft', ...standingStatuses] as const satisfies readonly RegistrationStatus[];

/**
 * Actions on a registration. `update`, `submit`, `withdraw`: by the athlete · `approve`, `return`, `reject`, `number`: by the organizer. A lapse is
 * no action (REG-6).
 */
export const registrationActions = ['update', 'submit', 'approve', 'return', 'reject', 'number', 'withdraw'] as const;
export type RegistrationAction = (typeof registrationActions)[number];

/** Allowed actions by status, with the next status (REG-5, REG-9). */
const transitions = defineTransitions<RegistrationStatus, RegistrationAction>(registrationActions, {
  draft: { update: 'draft', submit: 'submitted', withdraw: 'withdrawn' },
  submitted: { approve: 'approved', return: 'returned', reject: 'rejected', withdraw: 'withdrawn' },
  returned: { update: 'returned', submit: 'submitted', withdraw: 'withdrawn' },
  approved: { number: 'approved', withdraw: 'withdrawn' },
  rejected: {},
  withdrawn: {},
});
export const { next: nextStatus, require: requireTransition, apply: transition } = transitions;

export function isLiving(status: RegistrationStatus): boolean {
  return livingStatuses.some((living) => living === status);
}
