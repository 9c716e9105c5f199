import type { Client, Connection } from '@temporalio/client';
import { type TaskQueue, taskQueues, workflowQueues } from '../../config.ts';
import type { WorkerPresence } from './processes.ts';

const answerDeadlineMs = 1_000;
/** Workers poll at least once a minute; Temporal lists one that is gone for five. */
const absentAfterMs = 90_000;
/** TASK_QUEUE_TYPE_WORKFLOW and TASK_QUEUE_TYPE_ACTIVITY of Temporal's interface. */
const [workflowTasks, activityTasks] = [1, 2];

/** Checks whether each task queue has a worker. */
export function createWorkerPresence(client: Client, connection: Connection): () => Promise<Record<TaskQueue, WorkerPresence>> {
  return askAll;

  async function askAll(): Promise<Record<TaskQueue, WorkerPresence>> {
    const found = await Promise.all(taskQueues.map(async (queue) => [queue, await ask(queue)] as const));
    return Object.fromEntries(found) as Record<TaskQueue, WorkerPresence>;
  }

  async function ask(queue: TaskQueue): Promise<WorkerPresence> {
    try {
      const { pollers } = await connection.withDeadline(Date.now() + answerDeadlineMs, () =>
        connection.workflowService.describeTaskQueue({
          namespace: client.options.namespace,
          taskQueue: { name: queue },
          taskQueueType: workflowQueues.some((candidate) => candidate === queue) ? workflowTasks : activityTasks,
        }),
      );
      const lastSeen = Math.max(0, ...pollers.map(({ lastAccessTime }) => Number(String(lastAccessTime?.seconds ?? 0)) * 1000));
      return Date.now() - lastSeen < absentAfterMs ? 'ok' : 'absent';
    } catch {
      // The check of Temporal itself reports that Temporal is away.
      return 'unknown';
    }
  }
}
