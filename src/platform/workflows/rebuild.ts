import { query } from '../commands/command.ts';
import { parseProcessRef } from './process-ref.ts';
import { type AdoptionPlatform, adoptProcesses } from './adopt.ts';
import { startTimeOf, readCursor, removeCursor, writeCursor } from './cursors.ts';
import type { RecordProcess } from './define-process.ts';

const pageSize = 400;
/** Age above which a stopped run is not resumed, because earlier processes may be lost again. */
const cursorLifetimeMs = 6 * 3_600_000;

/** Progress of a run with one kind. */
export interface RebuildProgress {
  kind: string;
  /** Id after which this run started; above 0 when it resumes an interrupted one. */
  startedAfter: number;
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
 * Starts the missing process of every active record, after a loss of Temporal. With `isReplacing` restarts all processes, for changed
 * workflows, and terminates those without an active record. Stores its position, so it can be resumed within six hours.
 * @returns whether it finished; false when it was stopped
 */
export async function rebuildProcesses(
  platform: AdoptionPlatform,
  processes: readonly RecordProcess[],
  { isReplacing, isStopped, report }: RebuildOptions,
): Promise<boolean> {
  const nameOf = ({ kind }: RecordProcess) => `${isReplacing ? 'restart' : 'rebuild'}/${kind}`;
  // Start time of the first run, if this one resumes it.
  const startedAt = isReplacing ? await query(platform, (db) => startTimeOf(db, 'restart', cursorLifetimeMs)) : new Date();
  for (const definition of processes) {
    const startedAfter = await query(platform, (db) => readCursor(db, nameOf(definition), cursorLifetimeMs));
    const progress = { kind: definition.kind, startedAfter, started: 0, present: 0, failed: 0 };
    for (let after = startedAfter; ;) {
      const ids = await query(platform, (db) => definition.listLiving(db, after, pageSize));
      const last = ids.at(-1);
      if (last === undefined) break;
      const adopted = await adoptProcesses(platform, definition, ids, { isReplacing, isCancelled: isStopped });
      for (const outcome of ['started', 'present', 'failed'] as const) progress[outcome] += adopted[outcome];
      report(progress);
      // The next run repeats an interrupted slice, which finds started processes.
      if (adopted.isWhole) await query(platform, (db) => writeCursor(db, nameOf(definition), last));
      if (isStopped()) return false;
      after = last;
    }
  }
  if (isReplacing)
    await platform.processes.terminateStartedBefore(
      startedAt,
      processes.map(({ workflow }) => workflow),
    );
  for (const name of [...processes.map(nameOf), ...(isReplacing ? ['restart'] : [])]) await query(platform, (db) => removeCursor(db, name));
  return true;
}

/** Progress of a restart of patched processes. */
export interface RestartProgress {
  restarted: number;
  failed: number;
}

/**
 * Restarts the processes that passed a change of their workflow (search attribute `TemporalChangeVersion`) before this call. Their new runs
 * start from the records, in the installed release.
 * @param patch name of the change
 * @returns isWhole: false when it was stopped
 */
export async function restartPatched(
  platform: AdoptionPlatform,
  processes: readonly RecordProcess[],
  patch: string,
  { isStopped, report }: { isStopped: () => boolean; report: (progress: RestartProgress) => void },
): Promise<RestartProgress & { isWhole: boolean }> {
  const progress: RestartProgress = { restarted: 0, failed: 0 };
  for await (const page of platform.processes.listPatched(patch, new Date())) {
    const refs = page.map(parseProcessRef);
    for (const definition of processes) {
      const ids = refs.filter(({ kind }) => kind === definition.kind).map(({ id }) => Number(id));
      const { started, failed } = await adoptProcesses(platform, definition, ids, { isReplacing: true, isCancelled: isStopped });
      progress.restarted += started;
      progress.failed += failed;
    }
    report(progress);
    if (isStopped()) return { ...progress, isWhole: false };
  }
  return { ...progress, isWhole: true };
}
