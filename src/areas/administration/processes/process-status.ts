import { type ListedWork, partyOf, type ProcessState } from '../../../platform/workflows/define-process.ts';
import type { DescribedProcess } from '../../../platform/workflows/describe-process.ts';
import { blocksRecord, type Trouble } from '../../../platform/workflows/process-troubles.ts';

/** States of processes for administrators, in the order of the list: first those that need an administrator. */
export const processStates = ['stuck', 'failed', 'running', 'waiting'] as const;
export type ListedState = (typeof processStates)[number];

/** Actions of administrators on a process (ADM-4). */
export const processActions = ['retry', 'ask_bank', 'restart'] as const;
export type ProcessAction = (typeof processActions)[number];

/** A process that is due for this time is stuck (ADM-3): its own timer and the sweeper had time to run it. Milliseconds. */
export const overdueMs = 5 * 60_000;

/** State of a process, and since when; `over` when its record waits for nothing. */
export interface ProcessStatus {
  state: ListedState | 'over';
  waitingFor: DescribedProcess['waiting_for'];
  since: Date | null;
  nextTimerAt: Date | null;
  /** A code: the error code of a failing step, `overdue`, or the outcome of the workflow. */
  reason: string | null;
}

/** Outcome of a failed workflow; by the registry's clock. */
export interface Failure {
  outcome: string;
  endedAt: Date | null;
}

interface Facts<Row extends { id: number }> {
  process: Pick<ListedWork<Row>, 'describe' | 'dueAt' | 'since'>;
  row: Row;
  /** Failures of its steps. */
  troubles: readonly Trouble[];
  failure: Failure | null;
  now: Date;
}

/** Derives the state of a record's process at an instant from its record and its failures (ADM-3). Pure. */
export function processStatusOf<Row extends { id: number }>({
  process: definition,
  row,
  troubles,
  failure,
  now,
}: Facts<Row>): ProcessStatus {
  const state = describeSafely(definition, row, now);
  // A record that cannot be described needs support.
  if (state === null)
    return { state: 'stuck', waitingFor: 'support', since: oldest(troubles)?.since ?? null, nextTimerAt: null, reason: 'internal_error' };
  const dueSince = dueInstant(definition, row, state, now);
  const waitingFor = partyOf(state);
  const recorded = { waitingFor, since: definition.since?.(row) ?? null, nextTimerAt: nextTimer(state, now), reason: null };
  if (state.isOver) return { ...recorded, state: 'over' };
  if (failure !== null) return { ...recorded, state: 'failed', since: failure.endedAt, reason: failure.outcome };
  const blocking = troubles.filter((trouble) => blocksRecord(trouble, state));
  const stuck = oldest(blocking.filter(({ isStuck }) => isStuck));
  if (stuck !== null) {
    const isOfRecord = stuck.code !== 'service_unavailable';
    return { ...recorded, state: 'stuck', waitingFor: isOfRecord ? 'support' : waitingFor, since: stuck.since, reason: stuck.code };
  }
  if (dueSince !== null) {
    const reason = oldest(blocking)?.code ?? null;
    const isOverdue = now.getTime() - dueSince.getTime() >= overdueMs;
    return { ...recorded, state: isOverdue ? 'stuck' : 'running', since: dueSince, reason: isOverdue ? (reason ?? 'overdue') : reason };
  }
  return { ...recorded, state: 'waiting', reason: oldest(blocking)?.code ?? null };
}

/** Returns the instant since which the record is due; null when it is not due. */
function dueInstant<Row extends { id: number }>(
  { dueAt }: Pick<ListedWork<Row>, 'dueAt'>,
  row: Row,
  { isDue, next }: ProcessState,
  now: Date,
): Date | null {
  const at = dueAt === undefined ? (isDue ? (next?.at ?? now) : null) : dueAt.of(row);
  return at !== null && at <= now ? at : null;
}

/** Returns the next timer; a past date is due now. */
function nextTimer({ next }: ProcessState, now: Date): Date | null {
  return next === null ? null : next.at > now ? next.at : now;
}

function describeSafely<Row extends { id: number }>(
  { describe }: Pick<ListedWork<Row>, 'describe'>,
  row: Row,
  now: Date,
): ProcessState | null {
  try {
    return describe(row, now);
  } catch {
    return null;
  }
}

function oldest(troubles: readonly Trouble[]): Trouble | null {
  return troubles.reduce<Trouble | null>((first, trouble) => (first === null || trouble.since < first.since ? trouble : first), null);
}

/**
 * Returns the actions that fit a process; others are refused with 409 (ADM-4). A restart fits only a process that does not work.
 * @param hasWorkflow whether Temporal carries it out
 * @param isHealthy whether its workflow runs and accepts messages
 * @param isBankAskable whether it is an invoice that the bank can still settle
 */
export function fittingActions(
  { state }: Pick<ProcessStatus, 'state'>,
  { hasWorkflow, isHealthy, isBankAskable }: { hasWorkflow: boolean; isHealthy: boolean; isBankAskable: boolean },
): ProcessAction[] {
  return processActions.filter((action) => {
    if (action === 'ask_bank') return isBankAskable;
    if (state === 'over') return false;
    return action === 'retry' || (hasWorkflow && (state === 'stuck' || !isHealthy));
  });
}
