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

/** Knows how everything stands that the service needs, without being asked to look. */
export interface ReadinessWatch {
  /** As of the last look. A look that does not come back, and a watch that was stopped, count as not ready. */
  state(): Readiness;
  /** Looks no more; waits for the look under way. */
  stop(): Promise<void>;
}

export interface ReadinessTimes {
  /** From the end of one look to the beginning of the next. */
  everyMs: number;
  /** What one part may take to answer. */
  deadlineMs: number;
  /** A state that is older says nothing any more. */
  staleMs: number;
}

const usualTimes: ReadinessTimes = { everyMs: 3_000, deadlineMs: 3_000, staleMs: 12_000 };

type Part = 'database' | 'workflow_engine' | 'storage';

/** How each part is looked at: a check throws when the part cannot be reached. */
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
 * Looks at database, Temporal, storage and workers every few seconds, in the background: requests are answered from what was seen, and
 * a flood of them costs none of these anything. Comes back when the first look is done, whatever it saw.
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

  /** A check that outlives its deadline goes on; until it ends there is no second one, so that they do not pile up. */
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

/** How everything stands while nobody has looked. */
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
