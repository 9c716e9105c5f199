import type { Database } from '../../../platform/database/database.ts';
import { readTallies } from '../../../platform/database/tallies.ts';
import { parseProcessRef, type ProcessRef } from '../../../platform/process-ref.ts';
import { type ProcessDefinition, type RecordProcess, refOf } from '../../../platform/workflows/define-process.ts';
import { findTroubles, listStuck, type Trouble } from '../../../platform/workflows/process-troubles.ts';
import { type Failure, overdueMs, type Standing, standingOf } from './standing.ts';

/** So many of each state are told apart and counted; behind them the list ends. */
export const mostListed = 10_000;

/** The process of a record, by what was found of it. */
export interface FoundProcess {
  process: RecordProcess;
  id: number;
}

/** A process as it stands. */
export interface ProcessRow extends FoundProcess, Standing {}

/** Those that do not simply wait, each by its state; a process stands in one of them. */
export interface Sections {
  stuck: FoundProcess[];
  failed: FoundProcess[];
  running: FoundProcess[];
}

/** The processes of records, in the order of the areas. Timers of one-time secrets are none: nobody has to mend them. */
export function recordProcesses(definitions: readonly ProcessDefinition[]): RecordProcess[] {
  return definitions.filter((definition) => definition.type === 'record');
}

/**
 * What is stuck, has failed or is at work now. Each kind tells by its index what is due, and the rest is by what failed: with nothing of
 * this kind no record is read.
 * @param failures of workflows, by process; empty where Temporal could not be asked
 */
export async function findSections(
  db: Database,
  processes: readonly RecordProcess[],
  failures: ReadonlyMap<ProcessRef, Failure>,
  now: Date,
): Promise<Sections> {
  const byKind = new Map(processes.map((definition) => [definition.kind, definition]));
  const [failed, troubles, due] = await Promise.all([
    findFailed(db, byKind, failures, now),
    listStuck(db, [...byKind.keys()], mostListed + 1),
    Promise.all(
      processes.map(async (definition) =>
        (await definition.due(db, now, null, mostListed + 1)).map(({ id, at }) => ({
          process: definition,
          id,
          at,
          ref: refOf(definition, id),
        })),
      ),
    ),
  ]);
  const seen = new Set<string>(failed.map(({ process: definition, id }) => refOf(definition, id)));
  const take = <Found extends { ref: string }>(found: readonly Found[]) =>
    found.filter(({ ref }) => {
      const isNew = !seen.has(ref);
      seen.add(ref);
      return isNew;
    });
  const overdueBy = new Date(now.getTime() - overdueMs);
  const troubled = troubles.flatMap(({ kind, recordId, since, process: ref }) => {
    const definition = byKind.get(kind);
    return definition === undefined ? [] : [{ process: definition, id: recordId, at: since, ref }];
  });
  const overdue = due.flat().filter(({ at }) => at <= overdueBy);
  const stuck = take([...troubled, ...overdue].toSorted((left, right) => left.at.getTime() - right.at.getTime()));
  const running = take(due.flat().toSorted((left, right) => left.at.getTime() - right.at.getTime()));
  return { stuck, failed, running };
}

/** Those whose record still waits for something: of what was deleted or is over nobody needs the workflow. */
async function findFailed(
  db: Database,
  byKind: ReadonlyMap<string, RecordProcess>,
  failures: ReadonlyMap<ProcessRef, Failure>,
  now: Date,
): Promise<FoundProcess[]> {
  const found = [...failures.keys()].flatMap((ref) => {
    const { kind, id } = parseProcessRef(ref);
    const definition = byKind.get(kind);
    return definition === undefined ? [] : [{ process: definition, id: Number(id) }];
  });
  if (found.length === 0) return [];
  return (await readStandings(db, found, failures, now)).filter(({ state }) => state === 'failed');
}

/**
 * Processes that wait: of all that live those of no section. Slices of each kind's index of what lives, and no record.
 * @param most no more than these
 */
export async function findWaiting(
  db: Database,
  processes: readonly RecordProcess[],
  { stuck, failed, running }: Sections,
  most: number,
): Promise<FoundProcess[]> {
  const others = new Map<string, Set<number>>();
  for (const { process: definition, id } of [...stuck, ...failed, ...running])
    others.set(definition.kind, (others.get(definition.kind) ?? new Set<number>()).add(id));
  const waiting: FoundProcess[] = [];
  for (const definition of processes) {
    if (waiting.length >= most) break;
    const elsewhere = others.get(definition.kind) ?? new Set<number>();
    const ids = await definition.living(db, 0, most - waiting.length + elsewhere.size);
    for (const id of ids) if (!elsewhere.has(id)) waiting.push({ process: definition, id });
  }
  return waiting.slice(0, most);
}

/** How many wait: by the totals that the database keeps. */
export async function countWaiting(
  db: Database,
  processes: readonly RecordProcess[],
  { stuck, failed, running }: Sections,
): Promise<number> {
  const kinds = new Set(processes.map(({ kind }) => kind));
  const living = (await readTallies(db)).reduce((sum, { name, key, n }) => (name === 'living' && kinds.has(key) ? sum + n : sum), 0);
  // What is due may have ended a moment ago.
  return Math.max(0, living - stuck.length - failed.length - running.length);
}

/** These processes as they stand, in their order: a statement for each kind, and one for what fails. Those of records that are gone are left out. */
export async function readStandings(
  db: Database,
  found: readonly FoundProcess[],
  failures: ReadonlyMap<ProcessRef, Failure>,
  now: Date,
): Promise<ProcessRow[]> {
  if (found.length === 0) return [];
  const troubles = new Map<ProcessRef, Trouble[]>();
  for (const trouble of await findTroubles(
    db,
    found.map(({ process: definition, id }) => refOf(definition, id)),
  ))
    troubles.set(trouble.process, [...(troubles.get(trouble.process) ?? []), trouble]);
  const standings = new Map<ProcessRef, Standing>();
  for (const definition of new Set(found.map((each) => each.process))) {
    const ids = found.filter((each) => each.process === definition).map(({ id }) => id);
    for (const row of await definition.read(db, ids)) {
      const ref = refOf(definition, row.id);
      const facts = { process: definition, row, troubles: troubles.get(ref) ?? [], failure: failures.get(ref) ?? null, now };
      standings.set(ref, standingOf(facts));
    }
  }
  return found.flatMap(({ process: definition, id }) => {
    const standing = standings.get(refOf(definition, id));
    return standing === undefined ? [] : [{ process: definition, id, ...standing }];
  });
}
