import type { ProcessState, RecordProcess } from '../../../platform/workflows/define-process.ts';
import type { DescribedProcess } from '../../../platform/workflows/describe-process.ts';
import { isInTheWay, type Trouble } from '../../../platform/workflows/process-troubles.ts';

/** How processes stand for administrators, in the order of the list: what needs somebody first. */
export const processStates = ['stuck', 'failed', 'running', 'waiting'] as const;
export type ListedState = (typeof processStates)[number];

/** What administrators have a process do. */
export const processActions = ['retry', 'ask_bank', 'restart'] as const;
export type ProcessAction = (typeof processActions)[number];

/** What has been due for longer is stuck (decisions.md §9): its own timer and the sweeper have had their time. Milliseconds. */
export const overdueMs = 5 * 60_000;

/** How a process stands, and since when; `over` where its record waits for nothing any more. */
export interface Standing {
  state: ListedState | 'over';
  waitingFor: DescribedProcess['waiting_for'];
  since: Date | null;
  nextTimerAt: Date | null;
  /** A code: of the catalogue of refusals where a step fails, `overdue`, or how the workflow ended. */
  reason: string | null;
}

/** How a workflow ended that was to go on; by the registry's clock. */
export interface Failure {
  outcome: string;
  endedAt: Date | null;
}

interface Facts<Row extends { id: number }> {
  process: Pick<RecordProcess<Row>, 'describe' | 'dueAt' | 'since'>;
  row: Row;
  /** Those of its steps that fail. */
  troubles: readonly Trouble[];
  failure: Failure | null;
  now: Date;
}

/** How the process of a record stands at an instant (decisions.md §9 "Processes"): as its record says, but for what fails. Pure. */
export function standingOf<Row extends { id: number }>({ process: definition, row, troubles, failure, now }: Facts<Row>): Standing {
  const state = describeSafely(definition, row, now);
  // A record that cannot be described is one at fault.
  if (state === null)
    return { state: 'stuck', waitingFor: 'support', since: oldest(troubles)?.since ?? null, nextTimerAt: null, reason: 'internal_error' };
  const dueSince = dueInstant(definition, row, state, now);
  const waitingFor = state.waitingFor === 'nobody' ? null : state.waitingFor;
  const recorded = { waitingFor, since: definition.since?.(row) ?? null, nextTimerAt: nextTimer(state, now), reason: null };
  if (state.isOver) return { ...recorded, state: 'over' };
  if (failure !== null) return { ...recorded, state: 'failed', since: failure.endedAt, reason: failure.outcome };
  const standing = troubles.filter((trouble) => isInTheWay(trouble, state));
  const stuck = oldest(standing.filter(({ isStuck }) => isStuck));
  if (stuck !== null) {
    const isOfRecord = stuck.code !== 'service_unavailable';
    return { ...recorded, state: 'stuck', waitingFor: isOfRecord ? 'support' : waitingFor, since: stuck.since, reason: stuck.code };
  }
  if (dueSince !== null) {
    const reason = oldest(standing)?.code ?? null;
    const isOverdue = now.getTime() - dueSince.getTime() >= overdueMs;
    return { ...recorded, state: isOverdue ? 'stuck' : 'running', since: dueSince, reason: isOverdue ? (reason ?? 'overdue') : reason };
  }
  return { ...recorded, state: waitingFor === null ? 'running' : 'waiting', reason: oldest(standing)?.code ?? null };
}

/** Since when the process should have looked at its record; null where nothing is due. */
function dueInstant<Row extends { id: number }>(
  { dueAt }: Pick<RecordProcess<Row>, 'dueAt'>,
  row: Row,
  { isDue, next }: ProcessState,
  now: Date,
): Date | null {
  const at = dueAt === undefined ? (isDue ? (next?.at ?? now) : null) : dueAt.of(row);
  return at !== null && at <= now ? at : null;
}

/** One whose date has passed looks again now. */
function nextTimer({ next }: ProcessState, now: Date): Date | null {
  return next === null ? null : next.at > now ? next.at : now;
}

function describeSafely<Row extends { id: number }>(
  { describe }: Pick<RecordProcess<Row>, 'describe'>,
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
 * What fits a process as it stands; the rest is refused (409). A new start is for one that does not go on: what works is left alone.
 * @param isHealthy its workflow runs and takes messages
 * @param isBankAskable it is about an invoice that the bank may have a word about
 */
export function fittingActions(
  { state }: Pick<Standing, 'state'>,
  { isHealthy, isBankAskable }: { isHealthy: boolean; isBankAskable: boolean },
): ProcessAction[] {
  return processActions.filter((action) => {
    if (action === 'ask_bank') return isBankAskable;
    if (state === 'over') return false;
    return action === 'retry' || state === 'stuck' || !isHealthy;
  });
}
