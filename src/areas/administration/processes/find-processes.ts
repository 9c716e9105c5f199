import { registryInstant } from '../../../platform/time/clock.ts';
import { query } from '../../../platform/commands/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Tally } from '../../../platform/database/tallies.ts';
import { causeOf } from '../../../platform/logging/log.ts';
import type { Platform } from '../../../platform/platform.ts';
import { parseProcessRef, type ProcessRef } from '../../../platform/workflows/process-ref.ts';
import { queuedWork, type QueuedWork, type RecordProcess, refOf } from '../../../platform/workflows/define-process.ts';
import { findTroubles, listStuck, type Trouble } from '../../../platform/workflows/process-troubles.ts';
import { type Failure, overdueMs, type ProcessStatus, processStatusOf } from './process-status.ts';

/** Most processes of each state that are listed and counted. */
export const mostListed = 10_000;

/** A kind of work that administrators see: processes in Temporal, and rows that a loop of the worker takes. */
export type Work = RecordProcess | QueuedWork;

/** The process of a record, before its row is read. */
export interface FoundProcess {
  process: Work;
  id: number;
}

/** A process with its state. */
export interface ProcessRow extends FoundProcess, ProcessStatus {}

/** The processes that do not wait, by state; each process is in one section only. */
interface Sections {
  stuck: FoundProcess[];
  failed: FoundProcess[];
  running: FoundProcess[];
}

/** Returns the kinds of work on records. Timers of one-time secrets are left out: they need no repair. */
export function listedWork({ definitions, extensions }: Pick<Platform, 'definitions' | 'extensions'>): Work[] {
  return [...extensions.of(queuedWork), ...definitions.filter((definition) => definition.type === 'record')];
}

/**
 * Finds the processes that are stuck, failed or running (ADM-3). Reads the index of due records of each kind and the recorded failures;
 * without due or failed records it reads no record.
 * @param failures failed workflows, by process; empty while Temporal is unavailable
 */
export async function findSections(
  db: Database,
  processes: readonly Work[],
  failures: ReadonlyMap<ProcessRef, Failure>,
  now: Date,
): Promise<Sections> {
  const byKind = new Map(processes.map((definition) => [definition.kind, definition]));
  const [failed, troubles, due] = await Promise.all([
    findFailed(db, byKind, failures, now),
    listStuck(db, [...byKind.keys()], mostListed + 1),
    Promise.all(
      processes.map(async (definition) =>
        (await definition.listDue(db, now, null, mostListed + 1)).map(({ id, at }) => ({
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

/** Keeps the failures whose record still waits; a deleted or finished record needs no workflow. */
export async function findFailed(
  db: Database,
  byKind: ReadonlyMap<string, Work>,
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
 * Finds waiting processes: active ones that are in no section. Reads slices of each kind's index of active records, and no record.
 * @param most most processes to return
 */
export async function findWaiting(
  db: Database,
  processes: readonly Work[],
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
    const ids = await definition.listLiving(db, 0, most - waiting.length + elsewhere.size);
    for (const id of ids) if (!elsewhere.has(id)) waiting.push({ process: definition, id });
  }
  return waiting.slice(0, most);
}

/** Counts the waiting processes: of records with a workflow by the totals that the database keeps. */
export async function countWaiting(
  db: Database,
  processes: readonly Work[],
  { stuck, failed, running }: Sections,
  tallies: readonly Tally[],
): Promise<number> {
  const kinds = new Set(processes.map(({ kind }) => kind));
  const kept = tallies.reduce((sum, { name, key, n }) => (name === 'living' && kinds.has(key) ? sum + n : sum), 0);
  const counted = await Promise.all(processes.filter((work) => work.type === 'queue').map((work) => work.count(db)));
  const living = counted.reduce((sum, n) => sum + n, kept);
  // A due record may have ended since the totals were read.
  return Math.max(0, living - stuck.length - failed.length - running.length);
}

/** Reads the states of processes, in the given order. One statement for each kind and one for failures; leaves out deleted records. */
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
  const statuses = new Map<ProcessRef, ProcessStatus>();
  for (const definition of new Set(found.map((each) => each.process))) {
    const ids = found.filter((each) => each.process === definition).map(({ id }) => id);
    for (const row of await definition.read(db, ids)) {
      const ref = refOf(definition, row.id);
      const facts = { process: definition, row, troubles: troubles.get(ref) ?? [], failure: failures.get(ref) ?? null, now };
      statuses.set(ref, processStatusOf(facts));
    }
  }
  return found.flatMap(({ process: definition, id }) => {
    const status = statuses.get(refOf(definition, id));
    return status === undefined ? [] : [{ process: definition, id, ...status }];
  });
}

/** Most workflows that are read for each outcome, newest first. */
const mostRead = 200;

export const nothingFailed: ReadonlyMap<ProcessRef, Failure> = new Map();

/** Workflows that ended without completing. */
export interface Failures {
  byProcess: ReadonlyMap<ProcessRef, Failure>;
  /** Whether there may be more. */
  isCapped: boolean;
}

/**
 * Lists the failed workflows of records, which only Temporal knows (ADM-3).
 * @throws {DomainError} workflow_unavailable
 */
export async function listFailures(platform: Platform, processes: readonly Work[]): Promise<Failures> {
  const types = [...new Set(processes.flatMap((work) => (work.type === 'record' ? [work.workflow] : [])))];
  if (types.length === 0) return { byProcess: nothingFailed, isCapped: false };
  const { failed, isWhole } = await platform.processes.listFailed(types, mostRead);
  const byProcess = new Map<ProcessRef, Failure>();
  for (const { process: ref, outcome, endedAt } of failed)
    byProcess.set(ref, { outcome, endedAt: await query(platform, (db) => registryInstant(platform.clock, db, endedAt)) });
  return { byProcess, isCapped: !isWhole };
}

/** Lists the failed workflows of records; null while Temporal is unavailable, so that reads go on (API-10). */
export async function listFailuresIfKnown(platform: Platform, processes: readonly Work[]): Promise<Failures | null> {
  try {
    return await listFailures(platform, processes);
  } catch (error) {
    platform.log.warn({ cause: causeOf(error) }, 'cannot list failed workflows; the list uses the state of their records');
    return null;
  }
}
