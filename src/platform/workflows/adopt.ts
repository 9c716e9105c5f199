import { query } from '../command.ts';
import { causeOf } from '../log.ts';
import type { Platform } from '../platform.ts';
import type { ProcessRef } from '../process-ref.ts';
import type { Pace } from '../turns/pace.ts';
import { readCursor, writeCursor } from './cursors.ts';
import { type ProcessState, type RecordProcess, refOf } from './define-process.ts';
import { lookStep, noteTrouble } from './process-troubles.ts';
import { keepDueAt, startOf } from './process-view.ts';

const atOnce = 16;

/** The parts of the platform that adoption needs. */
export type AdoptionPlatform = Pick<Platform, 'orm' | 'clock' | 'processes' | 'log'>;

interface AdoptionOptions {
  isReplacing?: boolean;
  pace?: Pace | null;
  isCancelled?: () => boolean;
}

/** How many processes were started, how many were there already, and how many could not be started. */
export interface Adopted {
  started: number;
  present: number;
  failed: number;
  /** False when it was cancelled before it came to the last one. */
  isWhole: boolean;
  /** The last record that it came to; null: none. */
  reached: number | null;
}

/**
 * Starts the processes of records according to their state: one that only waits starts with a delay, and takes its first turn at its date
 * or with a message. A record that cannot be started or described does not block others; the latter waits for support.
 * @param isReplacing terminates each running process and starts it again, for an upgrade of the workflow (docs/changing-things.md)
 * @param pace of the starts; null for as fast as Temporal accepts them
 */
export async function adoptProcesses(
  platform: AdoptionPlatform,
  definition: RecordProcess,
  ids: readonly number[],
  { isReplacing = false, pace = null, isCancelled = () => false }: AdoptionOptions = {},
): Promise<Adopted> {
  const { rows, now } = await readRows(platform, definition, ids);
  const { described, faulty } = describeAll(definition, rows, now);
  for (const { row, error } of faulty) await reportFault(platform, refOf(definition, row.id), error);
  const states = described.filter(({ state }) => !state.isOver).toSorted((one, other) => one.row.id - other.row.id);
  const queue = [...states];
  const adopted: Adopted = { started: 0, present: 0, failed: faulty.length, isWhole: true, reached: null };
  const begun = new Map<number, ProcessState>();
  const adoptOne = async ({ row, state }: (typeof states)[number]) => {
    const ref = refOf(definition, row.id);
    try {
      // Its first turn may be far away, so its due date is stored here.
      await query(platform, (db) => keepDueAt(db, definition, row, state, now));
      const why = isReplacing ? 'replaced' : 'missing';
      const isStarted = await platform.processes.start(ref, startOf(state, now), { requestId: 'adopted', why });
      adopted[isStarted ? 'started' : 'present'] += 1;
      if (isStarted) begun.set(row.id, state);
    } catch (error) {
      adopted.failed += 1;
      platform.log.error({ process: ref, cause: causeOf(error) }, 'a process could not be adopted');
    }
  };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (queue.length > 0 && !isCancelled()) {
        const next = queue.shift();
        if (next === undefined) return;
        await pace?.turn();
        const askedAt = performance.now();
        await adoptOne(next);
        pace?.answered(performance.now() - askedAt);
      }
    }),
  );
  adopted.isWhole = queue.length === 0;
  adopted.reached = states[states.length - queue.length - 1]?.row.id ?? null;
  await wakeChanged(platform, definition, begun);
  return adopted;
}

type Row = { id: number };

/** How records stand, and those of which that cannot be said. */
function describeAll(definition: RecordProcess, rows: readonly Row[], now: Date) {
  const described: { row: Row; state: ProcessState }[] = [];
  const faulty: { row: Row; error: unknown }[] = [];
  for (const row of rows) {
    try {
      described.push({ row, state: definition.describe(row, now) });
    } catch (error) {
      faulty.push({ row, error });
    }
  }
  return { described, faulty };
}

/** Shows administrators that the process of a record waits for support. */
async function reportFault(platform: AdoptionPlatform, ref: ProcessRef, error: unknown): Promise<void> {
  platform.log.error({ process: ref, cause: causeOf(error) }, 'a record cannot be described; its process waits for support');
  await query(platform, (db, now) => noteTrouble(db, { process: ref, step: lookStep }, { code: 'internal_error', isFinal: true }, now));
}

/**
 * Wakes processes whose record changed after it was read: they may wait for an old date. A replaced process lost its last message, and one
 * that had just completed was started again.
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

/**
 * The rolling audit: checks the next slice of a kind's active records, starts missing processes, and stores its position; after the last
 * record it begins again.
 * @param isLate whether the time of the slice is over: the next one continues after the last record reached
 * @returns how many were missing
 */
export async function adoptSlice(
  platform: AdoptionPlatform,
  definition: RecordProcess,
  size: number,
  { pace, isCancelled, isLate }: { pace: Pace | null; isCancelled: () => boolean; isLate: () => boolean },
): Promise<number> {
  const name = `audit/${definition.kind}`;
  const ids = await query(platform, async (db) => definition.living(db, await readCursor(db, name), size));
  const adopted = await adoptProcesses(platform, definition, ids, { pace, isCancelled: () => isCancelled() || isLate() });
  const end = ids.length < size ? 0 : (ids.at(-1) ?? 0);
  const place = adopted.isWhole ? end : adopted.reached;
  if (!isCancelled() && place !== null) await query(platform, (db) => writeCursor(db, name, place));
  return adopted.started;
}
