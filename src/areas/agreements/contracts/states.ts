import { DomainError } from '../../../errors.ts';
import type { Locked } from '../../../platform/database/lock.ts';

/** Where an agreement with an organizer stands (service.md "Agreement", decisions.md §7). Only `confirmed` is in force. */
export const contractStatuses = ['generated', 'pending', 'confirmed', 'rejected', 'replaced', 'cancelled'] as const;
export type ContractStatus = (typeof contractStatuses)[number];

/** One of these is enough for an event: another is refused until it is replaced or cancelled. */
export const liveStatuses = ['generated', 'pending', 'confirmed', 'rejected'] as const satisfies readonly ContractStatus[];

/** Statuses in which the process of an agreement waits for somebody. */
export const waitingStatuses = ['generated', 'pending', 'rejected'] as const satisfies readonly ContractStatus[];

export function isWaiting(status: ContractStatus): boolean {
  return waitingStatuses.some((waiting) => waiting === status);
}

export function isLive(status: ContractStatus): boolean {
  return liveStatuses.some((live) => live === status);
}

/**
 * What can happen to an agreement. `scan`: its organizer sends the signed scan · `confirm`, `reject`: the federation decides on it ·
 * `replace`: another version takes its place · `cancel`: its organizer or an administrator annuls it.
 */
export const contractActions = ['scan', 'confirm', 'reject', 'replace', 'cancel'] as const;
export type ContractAction = (typeof contractActions)[number];

/** The only list of what is allowed (service.md "Agreement (workflow_version 3)", decisions.md §7). */
const transitions: Record<ContractStatus, Partial<Record<ContractAction, ContractStatus>>> = {
  generated: { scan: 'pending', replace: 'replaced', cancel: 'cancelled' },
  pending: { confirm: 'confirmed', reject: 'rejected', replace: 'replaced', cancel: 'cancelled' },
  confirmed: { replace: 'replaced', cancel: 'cancelled' },
  rejected: { scan: 'pending', replace: 'replaced', cancel: 'cancelled' },
  replaced: {},
  cancelled: {},
};

/** The status after an action, null where the status refuses it. */
export function nextStatus(status: ContractStatus, action: ContractAction): ContractStatus | null {
  return transitions[status][action] ?? null;
}

/** What the status allows. */
export function allowedActions(status: ContractStatus): ContractAction[] {
  return contractActions.filter((action) => nextStatus(status, action) !== null);
}

/**
 * @returns the status after an action that the present one allows
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function requireTransition(status: ContractStatus, action: ContractAction): ContractStatus {
  const next = nextStatus(status, action);
  if (next === null) throw new DomainError('invalid_state', { status, allowed: allowedActions(status) });
  return next;
}

/**
 * Takes an agreement where an action leads. Nobody has been reminded in its new status yet.
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function transition(
  contract: Locked<{ status: ContractStatus; remindedAt: Date | null; updatedAt: Date }>,
  action: ContractAction,
  now: Date,
): void {
  contract.status = requireTransition(contract.status, action);
  contract.remindedAt = null;
  contract.updatedAt = now;
}

/** Whether the federation ever confirmed an agreement: its scan stands for it from then on, also in the archive. */
export function wasConfirmed({ status, decidedAt }: { status: ContractStatus; decidedAt: Date | null }): boolean {
  return status === 'confirmed' || ((status === 'replaced' || status === 'cancelled') && decidedAt !== null);
}
