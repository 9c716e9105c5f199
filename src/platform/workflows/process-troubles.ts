import { sql } from 'kysely';
import { type Database, inList } from '../database/database.ts';
import type { ProcessTrouble } from '../database/entities.ts';
import { parseProcessRef, type ProcessRef } from '../process-ref.ts';
import { type ListedWork, type ProcessState, refOf } from './define-process.ts';

/** Step by which a process reads its record again and does what is due. */
export const lookStep = 'reconsider';
/** The part of a look that leaves the database, such as a question to the bank. */
export const outsideLookStep = 'reconsider_outside';
const lookSteps: readonly string[] = [lookStep, outsideLookStep];

/** A step failed now. */
export interface StepFailure {
  /** Of the catalogue of refusals. */
  code: string;
  /** The same again fails again: a refusal of the record. */
  isFinal: boolean;
}

export type Trouble = Readonly<
  Pick<ProcessTrouble, 'process' | 'step' | 'kind' | 'recordId' | 'since' | 'at' | 'tries' | 'code' | 'isStuck'>
>;

/**
 * Failures in a row after which support must look: more than five. A step that fails because of its record shows this at the end of its
 * turn, after as many attempts (`workflows/activity-profiles.ts`).
 */
const triesBeforeStuck = { ofTurn: 4, usually: 6 };

/** Notes that a step of a record's process has failed, once more where it had before. */
export async function noteTrouble(
  db: Database,
  { process: ref, step }: { process: ProcessRef; step: string },
  { code, isFinal }: StepFailure,
  now: Date,
): Promise<void> {
  const { kind, id } = parseProcessRef(ref);
  const isOfRecord = lookSteps.includes(step) && code !== 'service_unavailable';
  const least = isOfRecord ? triesBeforeStuck.ofTurn : triesBeforeStuck.usually;
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

/** A step of a process has succeeded. */
export async function clearTrouble(db: Database, { process: ref, step }: { process: ProcessRef; step: string }): Promise<void> {
  await db.deleteFrom('process_troubles').where('process', '=', ref).where('step', '=', step).execute();
}

/** Clears failed steps when a process starts again and counts anew. Failed long work stays to be done. */
export async function clearLookTroubles(db: Database, ref: ProcessRef): Promise<void> {
  await db.deleteFrom('process_troubles').where('process', '=', ref).where('step', '=', inList(lookSteps)).execute();
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

/** The troubles of these processes. Uses the primary key. */
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
 * Returns whether a trouble still blocks its record. A failed step does while something is due: a command may have removed its cause.
 * Failed long work does while the record is active.
 * @param state of the record; null when it is gone
 */
export function isInTheWay({ step }: Pick<Trouble, 'step'>, state: Pick<ProcessState, 'isOver' | 'isDue'> | null): boolean {
  return state !== null && !state.isOver && (!lookSteps.includes(step) || state.isDue);
}

/**
 * Deletes a page of troubles that block nothing any longer. Pages by the primary key.
 * @param behind last trouble of the previous page; null for the first page
 * @returns how many were deleted, and the start of the next page; null at the end
 */
export async function clearPastTroubles(
  db: Database,
  works: readonly ListedWork[],
  { behind, limit, now }: { behind: string | null; limit: number; now: Date },
): Promise<{ cleared: number; next: string | null }> {
  const [ref, step = ''] = behind?.split(' ') ?? [''];
  const troubles = await db
    .selectFrom('process_troubles')
    .selectAll()
    .where(sql<boolean>`(process, step) > (${ref}, ${step})`)
    .orderBy('process')
    .orderBy('step')
    .limit(limit)
    .execute();
  const states = await readStates(db, works, troubles, now);
  const past = troubles.filter((trouble) => !isInTheWay(trouble, states.get(trouble.process) ?? null));
  // One that has failed again meanwhile stays.
  for (const { process: own, step: failed, at } of past)
    await db.deleteFrom('process_troubles').where('process', '=', own).where('step', '=', failed).where('at', '=', at).execute();
  const last = troubles.length === limit ? troubles.at(-1) : undefined;
  return { cleared: past.length, next: last === undefined ? null : `${last.process} ${last.step}` };
}

/** How the records of troubles stand; one that cannot be said to stand anyhow counts as due. */
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
