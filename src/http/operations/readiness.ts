import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type TaskQueue, taskQueues } from '../../config.ts';
import { databaseOf } from '../../platform/database/database.ts';
import { errorName } from '../../platform/error-code.ts';
import type { Platform } from '../../platform/platform.ts';
import type { WorkerPresence } from '../../platform/workflows/processes.ts';

export type PartState = 'ok' | 'unreachable';

/** Whether the process can do its work. */
export interface Readiness {
  status: PartState;
  database: PartState;
  workflow_engine: PartState;
  storage: PartState;
  workers: Record<TaskQueue, WorkerPresence>;
}

/** Keeps the last known state of all dependencies (API-10). */
export interface ReadinessWatch {
  /** State at the last check. A check that hangs, and a stopped watch, count as not ready. */
  state(): Readiness;
  /** Stops checking; waits for the check in progress. */
  stop(): Promise<void>;
}

export interface ReadinessTimes {
  /** Pause between two checks. */
  everyMs: number;
  /** Time limit of one check. */
  deadlineMs: number;
  /** Age at which a state becomes stale. */
  staleMs: number;
}

const usualTimes: ReadinessTimes = { everyMs: 3_000, deadlineMs: 3_000, staleMs: 12_000 };

type Part = 'database' | 'workflow_engine' | 'storage';

/** The check of each part; it throws when the part is unreachable. */
export type ReadinessChecks = Record<Part, () => Promise<unknown>> & { workers(): Promise<Record<TaskQueue, WorkerPresence>> };

export function readinessChecks({ orm, processes, storage }: Pick<Platform, 'orm' | 'processes' | 'storage'>): ReadinessChecks {
  return {
    database: () => sql`select 1 as ready`.execute(databaseOf(orm.em.fork())),
    workflow_engine: () => processes.check(),
    storage: () => storage.check(),
    workers: () => processes.findWorkers(),
  };
}

/**
 * Checks database, Temporal, storage and workers every few seconds in the background; requests read the last state and cause no check.
 * Resolves after the first check, whatever its result.
 */
export async function watchReadiness(
  checks: ReadinessChecks,
  log: Pick<Logger, 'info' | 'warn'>,
  times: ReadinessTimes = usualTimes,
): Promise<ReadinessWatch> {
  const underWay = new Set<Part | 'workers'>();
  let last: { readiness: Readiness; at: number } | null = null;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  /** A check that exceeds its deadline continues; no second one starts until it ends, so that checks do not pile up. */
  async function ask<Answer>(name: Part | 'workers', check: () => Promise<Answer>): Promise<Answer> {
    if (underWay.has(name)) throw new Error('still without an answer');
    underWay.add(name);
    const checked = (async () => {
      try {
        return await check();
      } finally {
        underWay.delete(name);
      }
    })();
    const deadline = Promise.withResolvers<never>();
    const ending = setTimeout(() => deadline.reject(new Error('no answer in time')), times.deadlineMs);
    try {
      return await Promise.race([checked, deadline.promise]);
    } finally {
      clearTimeout(ending);
    }
  }

  async function stateOf(part: Part): Promise<PartState> {
    const before = last?.readiness[part];
    try {
      await ask(part, checks[part]);
      if (before === 'unreachable') log.info({ part }, 'ready again');
      return 'ok';
    } catch (error) {
      if (before !== 'unreachable') log.warn({ part, cause: errorName(error) ?? 'unknown' }, 'not ready');
      return 'unreachable';
    }
  }

  async function look(): Promise<void> {
    const [database, temporal, storage, workers] = await Promise.all([
      stateOf('database'),
      stateOf('workflow_engine'),
      stateOf('storage'),
      ask('workers', checks.workers).catch(unknownWorkers),
    ]);
    const isReady = database === 'ok' && temporal === 'ok' && storage === 'ok';
    const readiness: Readiness = { status: isReady ? 'ok' : 'unreachable', database, workflow_engine: temporal, storage, workers };
    last = { readiness, at: performance.now() };
    if (!isStopped) timer = setTimeout(() => (looking = look()), times.everyMs).unref();
  }

  let looking = look();
  await looking;

  return {
    state: () => (last !== null && !isStopped && performance.now() - last.at <= times.staleMs ? last.readiness : nothingKnown()),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** State before the first check. */
export function nothingKnown(): Readiness {
  return {
    status: 'unreachable',
    database: 'unreachable',
    workflow_engine: 'unreachable',
    storage: 'unreachable',
    workers: unknownWorkers(),
  };
}

function unknownWorkers(): Record<TaskQueue, WorkerPresence> {
  return Object.fromEntries(taskQueues.map((queue) => [queue, 'unknown'])) as Record<TaskQueue, WorkerPresence>;
}
