import { query } from '../../../platform/commands/command.ts';
import { countUpTo } from '../../../platform/database/bounded-queries.ts';
import type { Database } from '../../../platform/database/database.ts';
import { readTallies } from '../../../platform/database/tallies.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ProcessRef } from '../../../platform/workflows/process-ref.ts';
import type { StoredProcessAction } from '../entities.ts';
import {
  countWaiting,
  type Failures,
  findSections,
  findWaiting,
  type FoundProcess,
  listedWork,
  listFailures,
  listFailuresIfKnown,
  mostListed,
  nothingFailed,
  type ProcessRow,
  readStandings,
  type Work,
} from './find-processes.ts';
import { type ListedState, processStates } from './process-status.ts';

interface ProcessFilter {
  state?: ListedState | undefined;
  kind?: string | undefined;
  /** The id of a record, or `kind/id`. */
  q?: { kind: string | null; id: number } | undefined;
  page: number;
  limit: number;
}

interface ListedProcesses {
  items: ProcessRow[];
  total: number;
  isTotalCapped: boolean;
  /** Whether Temporal is unavailable; failed processes are then listed by the state of their record. */
  isFailedUnknown: boolean;
}

/**
 * Lists a page of the processes of records, first those that need an administrator (ADM-3). Reads the records by their indexes: the cost
 * does not grow with the number of active records, and only failed workflows need Temporal.
 * @throws {DomainError} workflow_unavailable, when the filter asks for failed processes only
 */
export async function listProcesses(platform: Platform, filter: ProcessFilter): Promise<ListedProcesses> {
  const processes = listedWork(platform).filter(({ kind }) => filter.kind === undefined || filter.kind === kind);
  const failures = await (filter.state === 'failed' ? listFailures : listFailuresIfKnown)(platform, processes);
  return query(platform, async (db, now) => {
    const { q } = filter;
    const page = await (q === undefined
      ? pageOf(db, processes, failures, filter, now)
      : findWanted(db, processes, failures, { ...filter, q }, now));
    return { ...page, isFailedUnknown: failures === null };
  });
}

type Page = Omit<ListedProcesses, 'isFailedUnknown'>;

async function pageOf(
  db: Database,
  processes: readonly Work[],
  failures: Failures | null,
  { state, page, limit }: ProcessFilter,
  now: Date,
): Promise<Page> {
  const byProcess = failures?.byProcess ?? nothingFailed;
  const wanted = processStates.filter((each) => state === undefined || state === each);
  const sections = await findSections(db, processes, byProcess, now);
  const found: FoundProcess[] = wanted.flatMap((each) => (each === 'waiting' ? [] : sections[each]));
  let total = found.length;
  if (wanted.includes('waiting')) {
    const shownUntil = Math.min(page * limit, mostListed);
    if (found.length < shownUntil) found.push(...(await findWaiting(db, processes, sections, shownUntil - found.length)));
    total = Math.max(found.length, total + (await countWaiting(db, processes, sections, await readTallies(db))));
  }
  const isTotalCapped = total > mostListed || (wanted.includes('failed') && failures?.isCapped === true);
  const shown = found.slice(0, mostListed).slice((page - 1) * limit, page * limit);
  // A process may have changed its state or ended since the index was read.
  const items = (await readStandings(db, shown, byProcess, now)).filter((row) => wanted.some((each) => each === row.state));
  return { items, total: Math.min(total, mostListed), isTotalCapped };
}

async function findWanted(
  db: Database,
  processes: readonly Work[],
  failures: Failures | null,
  { q, state, page, limit }: ProcessFilter & { q: { kind: string | null; id: number } },
  now: Date,
): Promise<Page> {
  const found = processes.filter(({ kind }) => q.kind === null || q.kind === kind).map((definition) => ({ process: definition, id: q.id }));
  const rows = (await readStandings(db, found, failures?.byProcess ?? nothingFailed, now)).filter((row) =>
    state === undefined ? row.state !== 'over' : row.state === state,
  );
  return { items: rows.slice((page - 1) * limit, page * limit), total: rows.length, isTotalCapped: false };
}

/** The total is exact up to this number (API-5). */
const mostCounted = 10_000;

/**
 * Lists the actions of administrators on processes, newest first (ADM-4). Reads `process_actions_process_index` or the primary key; the
 * count stops at `mostCounted`.
 */
export async function listProcessActions(
  db: Database,
  { process: ref, page, limit }: { process?: string | undefined; page: number; limit: number },
): Promise<{ items: StoredProcessAction[]; total: number; isTotalCapped: boolean }> {
  const all = db.selectFrom('process_actions');
  const chosen = ref === undefined ? all : all.where('process', '=', ref as ProcessRef);
  const [items, counted] = await Promise.all([
    chosen
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    countUpTo(db, chosen, mostCounted),
  ]);
  return { items, ...counted };
}
