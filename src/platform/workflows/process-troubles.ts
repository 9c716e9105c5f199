import { sql } from 'kysely';
import { type Database, inList } from '../database/database.ts';
import type { ProcessTrouble } from '../database/entities.ts';
import { parseProcessRef, type ProcessRef } from './process-ref.ts';
import { type ListedWork, type ProcessState, refOf } from './define-process.ts';

/** Step that reads the record again and runs due work. */
export const reconsiderStep = 'reconsider';
/** The part of this step outside the database, such as a bank query. */
export const outsideReconsiderStep = 'reconsider_outside';
const reconsiderSteps: readonly string[] = [reconsiderStep, outsideReconsiderStep];
/** The workflow code itself, whose tasks fail. */
export const workflowTaskStep = 'workflow_task';

/** The failure of a step. */
export interface StepFailure {
  /** A code of `src/errors.ts`, or a `TaskFault`. */
  code: string;
  /** A retry fails too, because the record is the cause. */
  isFinal: boolean;
}

export type Trouble = Readonly<
  Pick<ProcessTrouble, 'process' | 'step' | 'kind' | 'recordId' | 'since' | 'at' | 'tries' | 'code' | 'isStuck'>
>;

/**
 * Failures in a row after which a process is stuck. A turn makes several attempts before it reports a failure
 * (`workflows/activity-profiles.ts`).
 */
const failuresBeforeStuck = { ofTurn: 4, usually: 6 };

/** Records a failure of a process's step, and counts it with earlier ones. */
export async function recordTrouble(
  db: Database,
  { process: ref, step }: { process: ProcessRef; step: string },
  { code, isFinal }: StepFailure,
  now: Date,
): Promise<void> {
  const { kind, id } = parseProcessRef(ref);
  const isOfRecord = reconsiderSteps.includes(step) && code !== 'service_unavailable';
  const least = isOfRecord ? failuresBeforeStuck.ofTurn : failuresBeforeStuck.usually;
  await db
    .insertInto('process_troubles')
    .values({ process: ref, step, kind, recordId: Number(id), since: now, at: now, tries: 1, code, isStuck: isFinal })
    .onConflict((conflict) =>
      conflict.columns(['process', 'step']).doUpdateSet((eb) => ({
        at: now,
        tries: eb('process_troubles.tries', '+', 1),
        code,
        isStuck: sql<boolean>`${isFinal} or ${sql.ref('process_troubles.tries')} + 1 >= ${least}`,
      })),
    )
    .execute();
}

/** Deletes the trouble of a step that succeeded. */
export async function clearTrouble(db: Database, { process: ref, step }: { process: ProcessRef; step: string }): Promise<void> {
  await db.deleteFrom('process_troubles').where('process', '=', ref).where('step', '=', step).execute();
}

/** Deletes troubles of restarted processes, except those of long work. */
export async function clearRestartedTroubles(db: Database, refs: readonly ProcessRef[]): Promise<void> {
  const steps = [...reconsiderSteps, workflowTaskStep];
  await db.deleteFrom('process_troubles').where('process', '=', inList(refs)).where('step', '=', inList(steps)).execute();
}

/** Lists stuck processes, the oldest trouble first. Uses process_troubles_stuck_index. */
export function listStuck(db: Database, kinds: readonly string[], limit: number): Promise<Trouble[]> {
  return db
    .selectFrom('process_troubles')
    .selectAll()
    .where('isStuck', '=', sql.lit(true))
    .where('kind', '=', inList(kinds))
    .orderBy('since')
    .orderBy('process')
    .limit(limit)
    .execute();
}

/** Finds the troubles of these processes. Uses the primary key. */
export function findTroubles(db: Database, processes: readonly ProcessRef[]): Promise<Trouble[]> {
  return db
    .selectFrom('process_troubles')
    .selectAll()
    .where('process', '=', inList(processes))
    .orderBy('process')
    .orderBy('step')
    .execute();
}

/**
 * Returns whether a trouble still blocks its record: a failed step while a step is due, failed long work or workflow code while the record is
 * active.
 * @param state of the record; null when it is deleted
 */
export function blocksRecord({ step }: Pick<Trouble, 'step'>, state: Pick<ProcessState, 'isOver' | 'isDue'> | null): boolean {
  return state !== null && !state.isOver && (!reconsiderSteps.includes(step) || state.isDue);
}

/**
 * Reads a page of troubles, by the primary key.
 * @param behind last trouble of the previous page; null for the first page
 * @returns the troubles, and the start of the next page; null at the end
 */
export async function readTroubles(
  db: Database,
  behind: string | null,
  limit: number,
): Promise<{ troubles: Trouble[]; next: string | null }> {
  const [ref, step = ''] = behind?.split(' ') ?? [''];
  const troubles = await db
    .selectFrom('process_troubles')
    .selectAll()
    .where(sql<boolean>`(process, step) > (${ref}, ${step})`)
    .orderBy('process')
    .orderBy('step')
    .limit(limit)
    .execute();
  const last = troubles.length === limit ? troubles.at(-1) : undefined;
  return { troubles, next: last === undefined ? null : `${last.process} ${last.step}` };
}

/**
 * Deletes the resolved ones of these troubles.
 * @param running processes whose workflow tasks succeed again
 * @returns number of deleted troubles
 */
export async function clearResolvedTroubles(
  db: Database,
  works: readonly ListedWork[],
  troubles: readonly Trouble[],
  { running, now }: { running: ReadonlySet<ProcessRef>; now: Date },
): Promise<number> {
  const states = await readStates(db, works, troubles, now);
  const past = troubles.filter(
    (trouble) =>
      !blocksRecord(trouble, states.get(trouble.process) ?? null) || (trouble.step === workflowTaskStep && running.has(trouble.process)),
  );
  // One that has failed again meanwhile stays.
  for (const { process: own, step: failed, at } of past)
    await db.deleteFrom('process_troubles').where('process', '=', own).where('step', '=', failed).where('at', '=', at).execute();
  return past.length;
}

/** Returns the states of the records; one that cannot be described counts as due. */
async function readStates(
  db: Database,
  works: readonly ListedWork[],
  troubles: readonly Trouble[],
  now: Date,
): Promise<Map<ProcessRef, Pick<ProcessState, 'isOver' | 'isDue'>>> {
  const states = new Map<ProcessRef, Pick<ProcessState, 'isOver' | 'isDue'>>();
  for (const definition of works) {
    const ids = troubles.filter(({ kind }) => kind === definition.kind).map(({ recordId }) => recordId);
    if (ids.length === 0) continue;
    for (const row of await definition.read(db, [...new Set(ids)]))
      states.set(refOf(definition, row.id), describeSafely(definition, row, now));
  }
  return states;
}

function describeSafely(definition: ListedWork, row: { id: number }, now: Date): Pick<ProcessState, 'isOver' | 'isDue'> {
  try {
    return definition.describe(row, now);
  } catch {
    return { isOver: false, isDue: true };
  }
}
