import { defineTransitions } from '../../platform/commands/transitions.ts';

export const registrationStatuses = ['draft', 'waiting', 'offered', 'submitted', 'returned', 'rejected', 'approved', 'withdrawn'] as const;
export type RegistrationStatus = (typeof registrationStatuses)[number];

/** Statuses that take a place of a class with a capacity (REG-20). */
export const placedStatuses = ['submitted', 'returned', 'approved', 'offered'] as const satisfies readonly RegistrationStatus[];

/** Statuses in which a profile has no second registration for the event and class (REG-2). */
export const livingStatuses = ['draft', 'waiting', ...placedStatuses] as const satisfies readonly RegistrationStatus[];

/**
 * Actions on a registration. `update`, `submit`, `accept`, `withdraw`: by the athlete · `approve`, `return`, `reject`, `number`: by the
 * organizer · `offer`: by the registry or the organizer · `requeue`: an offer runs out. A lapse is no action (REG-6).
 */
export const registrationActions = [
  'update',
  'submit',
  'offer',
  'accept',
  'requeue',
  'approve',
  'return',
  'reject',
  'number',
  'withdraw',
] as const;
export type RegistrationAction = (typeof registrationActions)[number];

/** Allowed actions by status, with the next status (REG-5, REG-9, REG-21). A submission to a full class waits instead. */
const transitions = defineTransitions<RegistrationStatus, RegistrationAction>(registrationActions, {
  draft: { update: 'draft', submit: 'submitted', withdraw: 'withdrawn' },
  waiting: { offer: 'offered', withdraw: 'withdrawn' },
  offered: { accept: 'submitted', requeue: 'waiting', withdraw: 'withdrawn' },
  submitted: { approve: 'approved', return: 'returned', reject: 'rejected', withdraw: 'withdrawn' },
  returned: { update: 'returned', submit: 'submitted', withdraw: 'withdrawn' },
  approved: { number: 'approved', withdraw: 'withdrawn' },
  rejected: {},
  withdrawn: {},
});
export const { next: nextStatus, require: requireTransition, apply: transition } = transitions;

/** Whether a registration takes a place of its class (REG-20). */
export function isPlaced(status: RegistrationStatus): boolean {
  return placedStatuses.some((placed) => placed === status);
}

export function isLiving(status: RegistrationStatus): boolean {
  return livingStatuses.some((living) => living === status);
}
