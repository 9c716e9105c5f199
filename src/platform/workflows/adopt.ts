import { query } from '../command.ts';
import { causeOf } from '../log.ts';
import type { Pace } from '../pace.ts';
import type { Platform } from '../platform.ts';
import { readCursor, writeCursor } from './cursors.ts';
import { refOf } from './define-process.ts';
import type { ProcessState, RecordProcess } from './define-process.ts';
import { keepDueAt, startOf } from './process-view.ts';

const atOnce = 16;
/** A round has come to a record by then, milliseconds. */
const roundMs = 60_000;

/** What adopting takes of the platform. */
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
}

/**
 * Starts the processes of these records, each as its record stands: one that only waits is started with a delay and takes its first
 * turn when its date has come or a message arrives. One that cannot be started holds up no other.
 * @param isReplacing ends each running process and starts it again, for an upgrade of the workflow (docs/changing-things.md)
 * @param pace at which they are started; null for as fast as Temporal takes them
 */
export async function adoptProcesses(
  platform: AdoptionPlatform,
  definition: RecordProcess,
  ids: readonly number[],
  { isReplacing = false, pace = null, isCancelled = () => false }: AdoptionOptions = {},
): Promise<Adopted> {
  const { rows, now } = await readRows(platform, definition, ids);
  const states = rows
    .map((row) => ({ row, state: definition.describe(row, now) }))
    .filter(({ state }) => !state.isOver && (isReplacing || !isLeftToRound(definition, state, now)));
  const queue = [...states];
  const adopted: Adopted = { started: 0, present: 0, failed: 0, isWhole: true };
  const begun = new Map<number, ProcessState>();
  const adoptOne = async ({ row, state }: (typeof states)[number]) => {
    const ref = refOf(definition, row.id);
    try {
      // It may take no turn for a long time, so what a first turn would keep is kept here.
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
      for (let next = queue.shift(); next && !isCancelled(); next = queue.shift()) {
        await pace?.turn();
        const askedAt = performance.now();
        await adoptOne(next);
        pace?.answered(performance.now() - askedAt);
      }
    }),
  );
  adopted.isWhole = queue.length === 0;
  await wakeChanged(platform, definition, begun);
  return adopted;
}

/** Of a kind that has rounds: one is on its way to what has just become due. If it never comes, the sweeper finds what has been due for long. */
function isLeftToRound({ round }: RecordProcess, { isDue, next }: ProcessState, now: Date): boolean {
  return round !== undefined && isDue && next !== null && next.at.getTime() > now.getTime() - roundMs;
}

/**
 * Wakes those whose record has moved on since it was read: what was begun waits for a date of before. A message that reached a process just
 * before it was replaced is gone with it, and one that had only then completed was begun again.
 */
async function wakeChanged(
  platform: AdoptionPlatform,
  definition: RecordProcess,
  before: ReadonlyMap<number, ProcessState>,
): Promise<void> {
  if (before.size === 0) return;
  const { rows, now } = await readRows(platform, definition, [...before.keys()]);
  const after = new Map(rows.map((row) => [row.id, definition.describe(row, now)]));
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
 * The rolling audit: looks at the next slice of a kind's living records, starts the process of any that lacks one, and remembers
 * where it was; after the last record it begins again.
 * @returns how many were missing
 */
export async function adoptSlice(
  platform: AdoptionPlatform,
  definition: RecordProcess,
  size: number,
  { pace, isCancelled }: { pace: Pace | null; isCancelled: () => boolean },
): Promise<number> {
  const name = `audit/${definition.kind}`;
  const ids = await query(platform, async (db) => definition.living(db, await readCursor(db, name), size));
  const { started } = await adoptProcesses(platform, definition, ids, { pace, isCancelled });
  if (!isCancelled()) await query(platform, (db) => writeCursor(db, name, ids.length < size ? 0 : (ids.at(-1) ?? 0)));
  return started;
}
