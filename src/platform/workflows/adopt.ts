import { query } from '../commands/command.ts';
import { causeOf } from '../logging/log.ts';
import type { Platform } from '../platform.ts';
import type { ProcessRef } from './process-ref.ts';
import { type ProcessState, type RecordProcess, refOf } from './define-process.ts';
import { clearRestartedTroubles, reconsiderStep, recordTrouble } from './process-troubles.ts';
import { startOf, storeDueAt } from './process-view.ts';

const atOnce = 16;

/** The parts of the platform that adoption needs. */
export type AdoptionPlatform = Pick<Platform, 'orm' | 'clock' | 'processes' | 'log'>;

interface AdoptionOptions {
  isReplacing?: boolean;
  isCancelled?: () => boolean;
}

/** Numbers of started, existing and failed processes. */
export interface Adopted {
  started: number;
  present: number;
  failed: number;
  /** False when it was cancelled before the last record. */
  isWhole: boolean;
}

/**
 * Starts the processes of records according to their state. A waiting process starts with a delay until its date or a message. A failing
 * record does not block others; one that cannot be described waits for support.
 * @param isReplacing restarts each running process, for an upgrade of the workflow (docs/changing-things.md)
 */
export async function adoptProcesses(
  platform: AdoptionPlatform,
  definition: RecordProcess,
  ids: readonly number[],
  { isReplacing = false, isCancelled = () => false }: AdoptionOptions = {},
): Promise<Adopted> {
  const { rows, now } = await readRows(platform, definition, ids);
  const { described, failing } = describeAll(definition, rows, now);
  for (const { row, error } of failing) await reportFailure(platform, refOf(definition, row.id), error);
  const queue = described.filter(({ state }) => !state.isOver).toSorted((one, other) => one.row.id - other.row.id);
  const adopted: Adopted = { started: 0, present: 0, failed: failing.length, isWhole: true };
  const begun = new Map<number, ProcessState>();
  const adoptOne = async ({ row, state }: (typeof queue)[number]) => {
    const ref = refOf(definition, row.id);
    try {
      // Its first task may be far away, so store the due date here.
      await query(platform, (db) => storeDueAt(db, definition, row, state, now));
      const why = isReplacing ? 'replaced' : 'missing';
      const isStarted = await platform.processes.start(ref, startOf(state, now), { requestId: 'adopted', why });
      adopted[isStarted ? 'started' : 'present'] += 1;
      if (isStarted) begun.set(row.id, state);
    } catch (error) {
      adopted.failed += 1;
      platform.log.error({ process: ref, cause: causeOf(error) }, 'cannot start a process; run the rebuild again');
    }
  };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (queue.length > 0 && !isCancelled()) {
        const next = queue.shift();
        if (next === undefined) return;
        await adoptOne(next);
      }
    }),
  );
  if (isReplacing && begun.size > 0)
    await query(platform, (db) =>
      clearRestartedTroubles(
        db,
        [...begun.keys()].map((id) => refOf(definition, id)),
      ),
    );
  adopted.isWhole = queue.length === 0;
  await wakeChanged(platform, definition, begun);
  return adopted;
}

type Row = { id: number };

/** Describes records; returns failing ones separately. */
function describeAll(definition: RecordProcess, rows: readonly Row[], now: Date) {
  const described: { row: Row; state: ProcessState }[] = [];
  const failing: { row: Row; error: unknown }[] = [];
  for (const row of rows) {
    try {
      described.push({ row, state: definition.describe(row, now) });
    } catch (error) {
      failing.push({ row, error });
    }
  }
  return { described, failing };
}

/** Shows administrators that the process of a record waits for support. */
async function reportFailure(platform: AdoptionPlatform, ref: ProcessRef, error: unknown): Promise<void> {
  platform.log.error({ process: ref, cause: causeOf(error) }, 'cannot describe a record; its process waits for support');
  await query(platform, (db, now) =>
    recordTrouble(db, { process: ref, step: reconsiderStep }, { code: 'internal_error', isFinal: true }, now),
  );
}

/**
 * Wakes processes whose record changed after it was read: they may wait for an old date. A replaced process may have lost its last message.
 */
async function wakeChanged(
  platform: AdoptionPlatform,
  definition: RecordProcess,
  before: ReadonlyMap<number, ProcessState>,
): Promise<void> {
  if (before.size === 0) return;
  const { rows, now } = await readRows(platform, definition, [...before.keys()]);
  const after = new Map(describeAll(definition, rows, now).described.map(({ row, state }) => [row.id, state]));
  for (const [id, was] of before) {
    const is = after.get(id);
    if (was.isDue !== is?.isDue || was.stage !== is.stage || was.next?.at.getTime() !== is.next?.at.getTime())
      await platform.processes.wake({ process: refOf(definition, id), requestId: 'adopted' });
  }
}

function readRows(platform: AdoptionPlatform, definition: RecordProcess, ids: readonly number[]) {
  return query(platform, async (db, now) => ({ rows: await definition.read(db, ids), now }));
}
