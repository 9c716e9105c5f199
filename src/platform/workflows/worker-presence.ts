import type { Client, Connection } from '@temporalio/client';
import { type TaskQueue, workflowQueues } from '../../config.ts';

const answerDeadlineMs = 1_000;
/** Workers poll at least once a minute; Temporal lists one that is gone for five. */
const absentAfterMs = 90_000;
/** TASK_QUEUE_TYPE_WORKFLOW and TASK_QUEUE_TYPE_ACTIVITY of Temporal's interface. */
const [workflowTasks, activityTasks] = [1, 2];

/** Checks that a worker polls a task queue. @throws when none does, or when Temporal does not answer */
export async function checkWorkers(client: Client, connection: Connection, queue: TaskQueue): Promise<void> {
  const { pollers } = await connection.withDeadline(Date.now() + answerDeadlineMs, () =>
    connection.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: queue },
      taskQueueType: workflowQueues.some((candidate) => candidate === queue) ? workflowTasks : activityTasks,
    }),
  );
  const lastSeen = Math.max(0, ...pollers.map(({ lastAccessTime }) => Number(String(lastAccessTime?.seconds ?? 0)) * 1000));
  if (Date.now() - lastSeen >= absentAfterMs)
    throw new Error(`No worker polled the queue ${queue} within ${absentAfterMs / 1000} seconds.`);
}
