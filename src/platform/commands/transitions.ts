import { DomainError } from '../../errors.ts';
import type { Locked } from '../database/lock.ts';

/** The next status of a record by its status and an action. An absent action is refused. */
export type TransitionTable<Status extends string, Action extends string> = Record<Status, Partial<Record<Action, Status>>>;

/** Builds the functions of a state machine from its table. `invalid_state` has the details `{status, allowed}`. Pure, except `apply`. */
export function defineTransitions<Status extends string, Action extends string>(
  actions: readonly Action[],
  table: TransitionTable<Status, Action>,
) {
  /** Returns the status after an action; null when the status refuses it. */
  const next = (status: Status, action: Action): Status | null => table[status][action] ?? null;
  /** Lists the actions that a status allows, in the order of `actions`. */
  const allowed = (status: Status): Action[] => actions.filter((action) => next(status, action) !== null);
  /** Returns the status after an action. @throws {DomainError} invalid_state */
  const require = ({ status }: { readonly status: Status }, action: Action, message?: string): Status => {
    const after = next(status, action);
    if (after === null) throw new DomainError('invalid_state', { status, allowed: allowed(status) }, message);
    return after;
  };
  /** Applies an action to a record. @throws {DomainError} invalid_state */
  const apply = (record: Locked<{ status: Status }>, action: Action, message?: string): void => {
    record.status = require(record, action, message);
  };
  return { next, allowed, require, apply };
}
