import type { Locked } from '../../../platform/database/lock.ts';
import { defineTransitions } from '../../../platform/commands/transitions.ts';

/** Statuses of an agreement; only `confirmed` is in force (AGR-5). */
export const contractStatuses = ['generated', 'pending', 'confirmed', 'rejected', 'replaced', 'cancelled'] as const;
export type ContractStatus = (typeof contractStatuses)[number];

/** Statuses in which an agreement excludes a second one for its event (AGR-1). */
export const liveStatuses = ['generated', 'pending', 'confirmed', 'rejected'] as const satisfies readonly ContractStatus[];

/** Statuses in which the process waits for the organizer or an administrator. */
export const waitingStatuses = ['generated', 'pending', 'rejected'] as const satisfies readonly ContractStatus[];

export function isWaiting(status: ContractStatus): boolean {
  return waitingStatuses.some((waiting) => waiting === status);
}

/** Only a confirmed agreement is in force (AGR-5). */
export function isInForce({ status }: { status: ContractStatus }): boolean {
  return status === 'confirmed';
}

export function isLive(status: ContractStatus): boolean {
  return liveStatuses.some((live) => live === status);
}

/**
 * Actions on an agreement. `scan`: the organizer sends the signed scan · `confirm`, `reject`: an administrator decides on it · `replace`:
 * the organizer makes a new version · `cancel`: the organizer or an administrator cancels it.
 */
export const contractActions = ['scan', 'confirm', 'reject', 'replace', 'cancel'] as const;
export type ContractAction = (typeof contractActions)[number];

/** The transition table: scan (AGR-4), decision (AGR-14), replacement and cancellation (AGR-6). */
const transitions = defineTransitions<ContractStatus, ContractAction>(contractActions, {
  generated: { scan: 'pending', replace: 'replaced', cancel: 'cancelled' },
  pending: { confirm: 'confirmed', reject: 'rejected', replace: 'replaced', cancel: 'cancelled' },
  confirmed: { replace: 'replaced', cancel: 'cancelled' },
  rejected: { scan: 'pending', replace: 'replaced', cancel: 'cancelled' },
  replaced: {},
  cancelled: {},
});
export const { next: nextStatus, allowed: allowedActions, require: requireTransition } = transitions;

/**
 * Applies an action to an agreement and resets its reminders.
 * @throws {DomainError} invalid_state `{status, allowed}`
 */
export function transition(
  contract: Locked<{ status: ContractStatus; remindedAt: Date | null; updatedAt: Date }>,
  action: ContractAction,
  now: Date,
): void {
  contract.status = requireTransition(contract, action);
  contract.remindedAt = null;
  contract.updatedAt = now;
}

/** Whether an agreement was ever confirmed; from then on its scan is its PDF, also after replacement or cancellation. */
export function wasConfirmed({ status, decidedAt }: { status: ContractStatus; decidedAt: Date | null }): boolean {
  return status === 'confirmed' || ((status === 'replaced' || status === 'cancelled') && decidedAt !== null);
}
