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

/** Settings measured for the registry's small, frequent steps (engine.md §7). */
export async function startWorkers(config: Variables, platform: Platform, code: { codePath: string }): Promise<WorkerGroup> {
  const connection = await NativeConnection.connect(await engineConnectionOptions(config));
  const activities = createActivities(platform);
  // Each activity holds one connection of the pool while it runs, and the sweeper's need one more.
  const activitySlots = Math.max(2, Math.floor((config.DATABASE_POOL - 2) / config.WORKER_QUEUES.length));
  const workers = await Promise.all(
    config.WORKER_QUEUES.map((taskQueue: TaskQueue) =>
      Worker.create({
        connection,
        namespace: config.TEMPORAL_NAMESPACE,
        taskQueue,
        activities,
        workflowBundle: code,
        // A worker killed outright would hold its cached processes for ten seconds otherwise.
        stickyQueueScheduleToStartTimeout: '1s',
        shutdownGraceTime: '10s',
        maxConcurrentActivityTaskExecutions: activitySlots,
        maxConcurrentWorkflowTaskExecutions: 40,
        maxCachedWorkflows: 500,
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
