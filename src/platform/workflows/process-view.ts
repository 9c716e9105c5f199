import type { ProcessView } from '../../../workflows/contracts/process.contract.ts';
import type { Database } from '../database/database.ts';
import type { ProcessStart } from './process-start.ts';
import type { ProcessState, RecordProcess } from './define-process.ts';

/** Converts a record's state for the workflow: durations instead of instants, because its clock is not the domain clock. */
export function toView({ next, ...state }: ProcessState, now: Date): ProcessView {
  return {
    ...state,
    timer: next === null ? null : { afterMs: Math.max(0, next.at.getTime() - now.getTime()) + (next.spreadMs ?? 0), summary: next.why },
  };
}

/** Delay of a process without a date; it then reads its record again, in case a message was lost. */
const longestDelayMs = 30 * 24 * 3_600_000;

/** Returns the start of a record's process; a waiting process starts with a delay until its date. */
export function startOf({ stage, waitingFor, isDue, next }: ProcessState, now: Date): ProcessStart {
  const untilNext = next === null ? longestDelayMs : Math.max(0, next.at.getTime() - now.getTime()) + (next.spreadMs ?? 0);
  return { stage, waitingFor, delayMs: isDue ? 0 : untilNext };
}

/** Maximum delay of the first task of `startSoon`, milliseconds; random for each record. */
const firstTurnMs = 60_000;

/** Returns the start of a process that reads its record again within a minute, because the record may change meanwhile. */
export function startSoon(state: ProcessState, now: Date): ProcessStart {
  const start = startOf(state, now);
  return { ...start, delayMs: Math.min(start.delayMs, firstTurnMs * (0.5 + Math.random() / 2)) };
}

/** Returns the due date to store with the record: now, if a step is still due. */
export function dueAtOf({ isDue, next }: ProcessState, now: Date): Date | null {
  return isDue ? now : (next?.at ?? null);
}

/**
 * Stores the next due date with the record, if it changed. A record that stays due keeps its first date; otherwise it would never become
 * overdue.
 */
export async function storeDueAt<Row extends { id: number }>(
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
