import { query } from '../command.ts';
import { type AdoptionPlatform, adoptProcesses } from './adopt.ts';
import { beginningOf, readCursor, removeCursor, writeCursor } from './cursors.ts';
import type { RecordProcess } from './define-process.ts';

const pageSize = 400;
/** A run that was stopped longer ago is not continued: processes may have been lost behind its cursor since. */
const cursorLifetimeMs = 6 * 3_600_000;

/** How far a run has come with one kind. */
export interface RebuildProgress {
  kind: string;
  /** The id after which this run began: above 0 when it resumes an interrupted one. */
  beganBehind: number;
  started: number;
  present: number;
  failed: number;
}

export interface RebuildOptions {
  isReplacing: boolean;
  isStopped: () => boolean;
  /** Called after each slice, with the totals of this run. */
  report: (progress: RebuildProgress) => void;
}

/**
 * Starts the missing process of every active record, after a loss of Temporal. With `isReplacing` restarts every one, for changed
 * workflows, and terminates old ones without an active record. Works in slices and stores its position, so it can be interrupted and
 * resumed within six hours.
 * @returns whether it finished; false when it was stopped
 */
export async function rebuildProcesses(
  platform: AdoptionPlatform,
  processes: readonly RecordProcess[],
  { isReplacing, isStopped, report }: RebuildOptions,
): Promise<boolean> {
  const nameOf = ({ kind }: RecordProcess) => `${isReplacing ? 'restart' : 'rebuild'}/${kind}`;
  // Start time of the first run, if this one resumes it.
  const beganAt = isReplacing ? await query(platform, (db) => beginningOf(db, 'restart', cursorLifetimeMs)) : new Date();
  for (const definition of processes) {
    const beganBehind = await query(platform, (db) => readCursor(db, nameOf(definition), cursorLifetimeMs));
    const progress = { kind: definition.kind, beganBehind, started: 0, present: 0, failed: 0 };
    for (let after = beganBehind; ;) {
      const ids = await query(platform, (db) => definition.living(db, after, pageSize));
      const last = ids.at(-1);
      if (last === undefined) break;
      const adopted = await adoptProcesses(platform, definition, ids, { isReplacing, isCancelled: isStopped });
      for (const outcome of ['started', 'present', 'failed'] as const) progress[outcome] += adopted[outcome];
      report(progress);
      // The next run repeats an interrupted slice; processes already started are found.
      if (adopted.isWhole) await query(platform, (db) => writeCursor(db, nameOf(definition), last));
      if (isStopped()) return false;
      after = last;
    }
  }
  if (isReplacing)
    await platform.processes.endStartedBefore(
      beganAt,
      processes.map(({ workflow }) => workflow),
    );
  for (const name of [...processes.map(nameOf), ...(isReplacing ? ['restart'] : [])]) await query(platform, (db) => removeCursor(db, name));
  return true;
}
