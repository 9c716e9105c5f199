import type { ProcessView } from '../../../workflows/process.contract.ts';
import type { Database } from '../database/database.ts';
import type { ProcessStart } from '../process-start.ts';
import type { ProcessState, RecordProcess } from './define-process.ts';

/** What the workflow is told of its record: durations instead of instants, since its clock is not the registry's. */
export function toView({ next, ...state }: ProcessState, now: Date): ProcessView {
  return {
    ...state,
    timer: next === null ? null : { afterMs: Math.max(0, next.at.getTime() - now.getTime()) + (next.spreadMs ?? 0), summary: next.why },
  };
}

/** A process that waits for nobody's date looks again after this, in case its message was lost. */
const longestDelayMs = 30 * 24 * 3_600_000;

/** How the process of a record begins that stands like this: one that only waits takes its first turn when its date has come. */
export function startOf({ stage, waitingFor, isDue, next }: ProcessState, now: Date): ProcessStart {
  const untilNext = next === null ? longestDelayMs : Math.max(0, next.at.getTime() - now.getTime()) + (next.spreadMs ?? 0);
  return { stage, waitingFor, delayMs: isDue ? 0 : untilNext };
}

/** When the record must be looked at next, as it is kept with it: now, where something has become due that this step did not do. */
export function dueAtOf({ isDue, next }: ProcessState, now: Date): Date | null {
  return isDue ? now : (next?.at ?? null);
}

/**
 * Keeps with the record when it must be looked at next. Most steps leave the date as it is, and then nothing is written. What stays due
 * keeps since when: with every look that moves nothing it would seem to have become due just now, and never be overdue.
 */
export async function keepDueAt<Row extends { id: number }>(
  db: Database,
  { dueAt }: RecordProcess<Row>,
  row: Row,
  state: ProcessState,
  now: Date,
): Promise<void> {
  if (dueAt === undefined) return;
  const before = dueAt.of(row);
  if (state.isDue && before !== null && before <= now) return;
  const at = dueAtOf(state, now);
  if (before?.getTime() !== at?.getTime()) await dueAt.save(db, row.id, at, before);
}
