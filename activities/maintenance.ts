import { Context } from '@temporalio/activity';
import { clearExpiredData, clearRequestRecords } from '../src/areas/accounts/index.ts';
import { keepChangePartitions } from '../src/areas/changes/index.ts';
import { purgeDeletedFiles } from '../src/areas/files/index.ts';
import { clearBotData } from '../src/areas/messaging-bot/index.ts';
import { clearStreamEvents } from '../src/areas/notifications/index.ts';
import { clearWebhooks } from '../src/areas/webhooks/index.ts';
import { clearExpiredRequests } from '../src/platform/expired-rows.ts';
import { commit, query } from '../src/platform/commands/command.ts';
import { isTransientDatabaseError } from '../src/platform/database/constraint-errors.ts';
import type { Caller } from '../src/platform/commands/context.ts';
import { mergeTallies } from '../src/platform/database/tallies.ts';
import { causeOf } from '../src/platform/logging/log.ts';
import type { Platform } from '../src/platform/platform.ts';
import type { ProcessRef } from '../src/platform/workflows/process-ref.ts';
import { createPace } from '../src/platform/turns/pace.ts';
import { readDueCursor, readKeyCursor, writeDueCursor, writeKeyCursor } from '../src/platform/workflows/cursors.ts';
import { type DueRecord, queuedWork, type RecordProcess, refOf } from '../src/platform/workflows/define-process.ts';
import { clearResolvedTroubles, readTroubles, workflowTaskStep } from '../src/platform/workflows/process-troubles.ts';
import type { SweepCursor, SweepInput, SweepPosition, SweepStep } from '../workflows/contracts/sweep.contract.ts';
import { reconsiderUpdate } from '../workflows/contracts/process.contract.ts';
import { answering } from './execute.ts';
import { heartbeating } from './heartbeating.ts';

const pageSize = 50;
const atOnce = 8;
/** Pages of due records of each kind in a scheduled sweep. */
const pacedPages = 6;
/**
 * Time budget of a scheduled sweep, milliseconds, below Temporal's run timeout of thirty minutes (`worker/prepare-temporal.ts`). All kinds
 * share the time for due records; cleanup is last. Later steps use unused time.
 */
const budgetMs = { due: 12 * 60_000, clearing: 6 * 60_000 };
/** Time after which an activity begins no other page, and time limit of a page of due records; together below the time-out. Milliseconds. */
const [activityMs, duePageMs] = [45_000, 60_000];
/** Pages of expired data in a minute: more than expires in a minute, so that a backlog shrinks. */
const clearingPages = 20;
/** Troubles in a page, and pages in a minute. */
const [troublePageSize, troublePages] = [100, 10];
/** Deleted files in a page, and pages in a minute: those that the deletion itself could not purge. */
const [filePageSize, filePages] = [50, 10];
/** Changes of totals in a page, and pages in a minute: many more than commands write in a minute. */
const [tallyPageSize, tallyPages] = [5000, 40];
/**
 * Pause between two records of the scheduled sweep: at most ten a second, fewer when answers are slow. A lapsing record wakes dependent
 * processes, so its cost shows only in response times.
 */
const duePace = { share: 8, leastMs: 100, mostMs: 1000 };
/** The schedule leaves recently due records to the process's own timer, which may have jitter (domain time, milliseconds). */
const graceMs = 2 * 60_000;
/** Age above which a cursor is ignored, because earlier records may be due again. Longer than two sweeps. */
const cursorLifetimeMs = 60 * 60_000;
export interface PageInput extends SweepInput {
  step: SweepStep;
  cursor: SweepCursor;
}

export interface SweepPage {
  driven: number;
  next: SweepCursor;
}

/**
 * The sweeper. May be interrupted and repeated at any page, because it only wakes processes or deletes expired data.
 * @param pacing of the scheduled sweep; tests shorten it
 */
export function createSweeper(platform: Platform, pacing = duePace) {
  const records = platform.definitions.filter((definition) => definition.type === 'record');

  function definitionOf(kind: string | null): RecordProcess {
    const found = records.find((definition) => definition.kind === kind);
    if (!found) throw new RangeError(`unknown kind of process: ${kind}`);
    return found;
  }

  /**
   * Wakes due records, from where the previous sweep ended, so that failing records do not block later ones. Ends at the kind's time limit;
   * the next sweep continues after the last record.
   */
  async function processDue({ step, cursor, requestId, isPaced }: PageInput): Promise<SweepPage> {
    const definition = definitionOf(step.kind);
    const isLate = timeLimitOf(step, duePageMs);
    if (isLate()) return { driven: 0, next: null };
    const due = await query(platform, async (db, now) => {
      const before = isPaced && cursor === null ? await readDueCursor(db, step.name, cursorLifetimeMs) : readCursor(cursor);
      return definition.listDue(db, isPaced ? new Date(now.getTime() - graceMs) : now, before, pageSize);
    });
    const queue = [...due];
    const pace = isPaced ? createPace(pacing) : null;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (!isCancelled() && !isLate()) {
          const next = queue.shift();
          if (next === undefined) return;
          await pace?.turn();
          const askedAt = performance.now();
          await reconsider(definition, next.id, requestId);
          pace?.answered(performance.now() - askedAt);
        }
      }),
    );
    const driven = due.length - queue.length;
    // Records are taken in order.
    const last = queue.length > 0 || due.length === pageSize ? (due[driven - 1] ?? null) : null;
    const isMoved = driven > 0 || queue.length === 0;
    if (isPaced && !isCancelled() && isMoved) await query(platform, (db) => writeDueCursor(db, step.name, last));
    return { driven, next: last === null || queue.length > 0 ? null : writeCursor(last) };
  }

  /** Sends one record its message. A failure does not block other records; the next sweep retries it. */
  async function reconsider(definition: RecordProcess, id: number, requestId: string): Promise<void> {
    try {
      await platform.processes.ask(refOf(definition, id), reconsiderUpdate.name, requestId);
    } catch (error) {
      platform.log.error(
        { process: refOf(definition, id), cause: causeOf(error) },
        'the sweeper cannot wake a process; the next sweep retries',
      );
    }
  }

  /** Deletes a page of expired data in one transaction. */
  async function clear({ requestId }: PageInput): Promise<SweepPage> {
    const caller: Caller = { actor: { kind: 'process' }, requestId, ip: null };
    const cleared = [];
    for (const clearSome of [
      clearExpiredData,
      clearExpiredRequests,
      clearStreamEvents,
      clearBotData,
      clearRequestRecords,
      clearWebhooks,
      keepChangePartitions,
    ])
      cleared.push(await commit(platform, caller, clearSome));
    const driven = cleared.reduce((sum, { changed }) => sum + changed, 0);
    return { driven, next: cleared.some(({ isMore }) => isMore) ? 'more' : null };
  }

  /** Continues where the previous sweep ended, so that failing files do not block later ones. */
  async function purge({ step, cursor, isPaced }: PageInput): Promise<SweepPage> {
    const behind = isPaced && cursor === null ? await query(platform, (db) => readKeyCursor(db, step.name, cursorLifetimeMs)) : cursor;
    const { purged, next } = await purgeDeletedFiles(platform, { behind, limit: filePageSize, isStopped: isCancelled });
    if (isPaced && !isCancelled()) await query(platform, (db) => writeKeyCursor(db, step.name, next));
    return { driven: purged, next };
  }

  /** Continues where the previous sweep ended, so that permanent troubles do not block later ones. */
  async function clearTroubles({ step, cursor, isPaced }: PageInput): Promise<SweepPage> {
    const { troubles, next } = await query(platform, async (db) => {
      const behind = isPaced && cursor === null ? await readKeyCursor(db, step.name, cursorLifetimeMs) : cursor;
      return readTroubles(db, behind, troublePageSize);
    });
    const running = await findRunning(troubles.filter((trouble) => trouble.step === workflowTaskStep).map(({ process: ref }) => ref));
    return query(platform, async (db, now) => {
      const works = [...records, ...platform.extensions.of(queuedWork)];
      const driven = await clearResolvedTroubles(db, works, troubles, { running, now });
      if (isPaced) await writeKeyCursor(db, step.name, next);
      return { driven, next };
    });
  }

  /** Returns which of these processes run without failing workflow tasks; none of those that Temporal does not describe. */
  async function findRunning(refs: readonly ProcessRef[]): Promise<ReadonlySet<ProcessRef>> {
    const running = new Set<ProcessRef>();
    for (const ref of refs) {
      const found = await platform.processes.describe(ref);
      if (found?.status === 'running' && found.taskFault === null) running.add(ref);
    }
    return running;
  }

  async function mergeTotals(): Promise<SweepPage> {
    const driven = await query(platform, (db) => mergeTallies(db, tallyPageSize));
    return { driven, next: driven === tallyPageSize ? 'more' : null };
  }

  /** Lists the steps of a sweep. Kinds follow the order of their areas, so that a document expires before its dependents. */
  function planSteps({ isPaced }: SweepInput): SweepStep[] {
    const beganAt = Date.now();
    const until = (at: number) => (isPaced ? { until: Math.round(at) } : {});
    const clearing = until(beganAt + budgetMs.due + budgetMs.clearing);
    return [
      ...records.map(({ kind }, index): SweepStep => {
        const step = { name: `due_${kind}`, task: 'due', kind, pages: isPaced ? pacedPages : null } as const;
        return { ...step, ...until(beganAt + (budgetMs.due * (index + 1)) / records.length) };
      }),
      { name: 'past_troubles', task: 'past-troubles', kind: null, pages: isPaced ? troublePages : null, ...clearing },
      { name: 'tallies', task: 'tallies', kind: null, pages: isPaced ? tallyPages : null, ...clearing },
      { name: 'expired_data', task: 'expired-data', kind: null, pages: isPaced ? clearingPages : null, ...clearing },
      { name: 'deleted_files', task: 'deleted-files', kind: null, pages: isPaced ? filePages : null, ...clearing },
    ];
  }

  function runPage(input: PageInput): Promise<SweepPage> {
    switch (input.step.task) {
      case 'due':
        return processDue(input);
      case 'past-troubles':
        return clearTroubles(input);
      case 'tallies':
        return mergeTotals();
      case 'expired-data':
        return clear(input);
      case 'deleted-files':
        return purge(input);
    }
  }

  /** Runs one page of the first step and returns the position after it. A failed step does not block later ones. */
  async function sweepPage(input: SweepInput, { steps, cursor, pages, driven, failed }: SweepPosition): Promise<SweepPosition> {
    const [step, ...others] = steps;
    if (step === undefined) return { steps, cursor, pages, driven, failed };
    const next = { steps: others, cursor: null, pages: 0, driven, failed };
    // Each step of the cleanup runs at least one page in each sweep.
    if (cursor !== null && isOver(step)) return next;
    try {
      const done = await runPage({ ...input, step, cursor });
      next.driven = { ...driven, [step.name]: (driven[step.name] ?? 0) + done.driven };
      if (done.next === null || (step.pages !== null && pages + 1 >= step.pages)) return next;
      return { ...next, steps, cursor: done.next, pages: pages + 1 };
    } catch (error) {
      // All steps need the database; the activity is retried.
      if (isTransientDatabaseError(error) || isCancelled()) throw error;
      platform.log.error({ step: step.name, cause: causeOf(error) }, 'a step of the sweeper failed; the next sweep repeats it');
      return { ...next, failed: [...failed, step.name] };
    }
  }

  return { planSteps, runPage, sweepPage };
}

export function createMaintenanceActivities(platform: Platform) {
  const { planSteps, sweepPage } = createSweeper(platform);
  return {
    /**
     * Sweeps on from a position, page by page while there is time, and returns the position that it reached; no steps are left at the end.
     * @param isCareful runs one page only, after an activity that failed
     */
    sweepOn: ({ position, isCareful = false, ...input }: SweepInput & { isCareful?: boolean }): Promise<SweepPosition> =>
      answering(() =>
        heartbeating(async () => {
          const endsAt = performance.now() + activityMs;
          let reached = position ?? { steps: planSteps(input), cursor: null, pages: 0, driven: {}, failed: [] };
          if (isCareful) return position ? sweepPage(input, reached) : reached;
          while (reached.steps.length > 0 && performance.now() < endsAt) {
            const next = await sweepPage(input, reached);
            // A worker that stops cuts a page short: the next activity, on another worker, repeats it.
            if (isCancelled()) break;
            reached = next;
          }
          return reached;
        }),
      ),
  };
}

function isOver({ until }: SweepStep): boolean {
  return until !== undefined && Date.now() > until;
}

/** Returns a function that says whether the time limit of a page or its step is over. */
function timeLimitOf(step: SweepStep, pageMs: number): () => boolean {
  const endsAt = performance.now() + pageMs;
  return () => step.until !== undefined && (performance.now() > endsAt || isOver(step));
}

function isCancelled(): boolean {
  return Context.current().cancellationSignal.aborted;
}

function writeCursor({ id, at }: DueRecord): string {
  return `${at.toISOString()} ${id}`;
}

function readCursor(cursor: SweepCursor): DueRecord | null {
  if (cursor === null) return null;
  const [at = '', id = ''] = cursor.split(' ');
  return { id: Number(id), at: new Date(at) };
}
