import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { startDeliveries } from '../src/areas/notifications/index.ts';
import { type TaskQueue, type Variables, workflowQueues } from '../src/registry/config.ts';
import type { Platform } from '../src/platform/platform.ts';
import { temporalConnectionOptions } from '../src/platform/workflows/connect.ts';
import { tracing } from '../src/platform/tracing/tracing.ts';
import { measureWork } from './measure-work.ts';

/** The workers of one process, one for each task queue, with one connection. */
export interface WorkerGroup {
  /** Resolves when all have drained after `shutdown`; rejects when one fails. */
  finished: Promise<void>;
  /** Whether every worker polls its queue. */
  isPolling(): boolean;
  shutdown(): Promise<void>;
}

type WorkerSettings = Pick<WorkerOptions, 'stickyQueueScheduleToStartTimeout' | 'shutdownGraceTime'>;

/** Settings for small, frequent steps; the benchmark's baseline uses the same. */
export const workerSettings = {
  // By default, Temporal waits ten seconds for the sticky queue of a killed worker.
  stickyQueueScheduleToStartTimeout: '1s',
  shutdownGraceTime: '10s',
} satisfies WorkerSettings;

/**
 * Returns the slots of one queue's worker. Each step holds one pool connection while it runs. The queues of a process share the pool; command
 * steps get most of it, because callers wait for them.
 */
function workerSlots(config: Pick<Variables, 'DATABASE_POOL' | 'WORKER_QUEUES'>, queue: TaskQueue) {
  const isOfWorkflows = isWorkflowQueue(queue);
  const workflowWorkers = config.WORKER_QUEUES.filter(isWorkflowQueue).length;
  const others = config.WORKER_QUEUES.length - workflowWorkers;
  const forOthers = others * slotsOfOthers + connectionsOfLoops;
  const steps = Math.max(2, Math.floor((config.DATABASE_POOL - forOthers) / Math.max(1, workflowWorkers)));
  return isOfWorkflows
    ? {
        maxConcurrentLocalActivityExecutions: steps,
        maxConcurrentActivityTaskExecutions: 2,
        maxConcurrentWorkflowTaskExecutions: 40,
        // A cached process takes about 70 KB; others replay their short history.
        maxCachedWorkflows: 500,
      }
    : {
        maxConcurrentActivityTaskExecutions: queue === 'webhooks' ? slotsOfWebhooks : slotsOfOthers,
        maxActivitiesPerSecond: maxOthersPerSecond,
      };
}

/** Certificates, bank queries, sweep pages: two at a time each, in every worker process. */
const slotsOfOthers = 2;
/** A webhook mostly waits for its receiver, without a connection. */
const slotsOfWebhooks = 10;
/** The outbox relay and the deliveries use a connection for single statements. */
const connectionsOfLoops = 4;
/**
 * Each such queue starts at most so many a second. Thousands of fast failures would otherwise load Temporal with their retries and slow
 * down commands.
 */
const maxOthersPerSecond = 25;

function isWorkflowQueue(queue: TaskQueue): boolean {
  return workflowQueues.some((candidate) => candidate === queue);
}

/**
 * Starts a worker for each task queue of the configuration.
 * @param options.debugMode runs workflows in the calling thread. It starts faster than threads of their own, but nothing ends an endless loop
 */
export async function startWorkers(
  config: Variables,
  platform: Platform,
  code: { codePath: string },
  options: Pick<WorkerOptions, 'debugMode'> = {},
): Promise<WorkerGroup> {
  const connection = await NativeConnection.connect(await temporalConnectionOptions(config));
  const activities = createActivities(platform);
  const workers = await Promise.all(
    config.WORKER_QUEUES.map((taskQueue: TaskQueue) =>
      Worker.create({
        connection,
        namespace: config.TEMPORAL_NAMESPACE,
        taskQueue,
        activities,
        interceptors: { activity: [measureWork(platform.definitions), ...(tracing === null ? [] : [tracing.activity])] },
        ...(tracing === null ? {} : { sinks: tracing.sinks }),
        // A queue without workflows needs no workflow code.
        ...(isWorkflowQueue(taskQueue) ? { workflowBundle: code } : {}),
        ...(config.INACTIVE_PATCHES.length === 0
          ? {}
          : { patchActivationCallback: ({ patchId }) => !config.INACTIVE_PATCHES.some((name) => name === patchId) }),
        ...options,
        ...workerSettings,
        ...workerSlots(config, taskQueue),
      }),
    ),
  );
  platform.outbox.startRelay();
  // Mails and bot messages leave the installation as webhooks do, so that other workers need neither way out nor login.
  const deliveries = config.WORKER_QUEUES.includes('webhooks') ? startDeliveries(platform) : null;
  const finished = Promise.all(workers.map((worker) => worker.run())).then(async () => {
    await deliveries?.close();
    await connection.close();
  });
  return {
    finished,
    isPolling: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    async shutdown() {
      void deliveries?.close();
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}
