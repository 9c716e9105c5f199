import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { TaskQueue, Variables } from '../src/config.ts';
import type { Platform } from '../src/platform/platform.ts';
import { engineConnectionOptions } from '../src/platform/workflows/connect.ts';

/** The workers of one process: one for each task queue it serves, over one connection. */
export interface WorkerGroup {
  /** Resolves when all have drained after `shutdown`; rejects when one fails. */
  finished: Promise<void>;
  shutdown(): Promise<void>;
}

/** Settings measured for the registry's small, frequent steps (engine.md §7); the benchmark's twin runs with the same. */
export function workerSettings(config: Pick<Variables, 'DATABASE_POOL' | 'WORKER_QUEUES'>) {
  return {
    // A worker killed outright would hold its cached processes for ten seconds otherwise.
    stickyQueueScheduleToStartTimeout: '1s',
    shutdownGraceTime: '10s',
    // Each activity holds one connection of the pool while it runs, and the sweeper's need one more.
    maxConcurrentActivityTaskExecutions: Math.max(2, Math.floor((config.DATABASE_POOL - 2) / config.WORKER_QUEUES.length)),
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: 500,
  } as const;
}

/** Starts a worker for each task queue of the configuration. */
export async function startWorkers(config: Variables, platform: Platform, code: { codePath: string }): Promise<WorkerGroup> {
  const connection = await NativeConnection.connect(await engineConnectionOptions(config));
  const activities = createActivities(platform);
  const workers = await Promise.all(
    config.WORKER_QUEUES.map((taskQueue: TaskQueue) =>
      Worker.create({
        connection,
        namespace: config.TEMPORAL_NAMESPACE,
        taskQueue,
        activities,
        workflowBundle: code,
        ...workerSettings(config),
      }),
    ),
  );
  const finished = Promise.all(workers.map((worker) => worker.run())).then(async () => connection.close());
  return {
    finished,
    async shutdown() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}
