import type { Client, Connection } from '@temporalio/client';
import { taskQueues } from '../../config.ts';
import type { TaskQueue } from '../../config.ts';
import type { WorkerPresence } from './processes.ts';

const answerDeadlineMs = 1_000;
const keptMs = 5_000;
/** A worker asks for work again within a minute at the latest; the engine remembers one that is gone for five. */
const silenceMs = 90_000;
/** TASK_QUEUE_TYPE_WORKFLOW of the engine's interface. */
const workflowTasks = 1;

/** Answers whether each task queue is served; asks the engine once in a few seconds, however often it is called. */
export function createWorkerPresence(client: Client, connection: Connection): () => Promise<Record<TaskQueue, WorkerPresence>> {
  let asked: { at: number; answer: Promise<Record<TaskQueue, WorkerPresence>> } | null = null;
  return () => {
    const now = Date.now();
    if (asked === null || now - asked.at > keptMs) asked = { at: now, answer: askAll() };
    return asked.answer;
  };

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
          taskQueueType: workflowTasks,
        }),
      );
      const lastSeen = Math.max(0, ...pollers.map(({ lastAccessTime }) => Number(String(lastAccessTime?.seconds ?? 0)) * 1000));
      return Date.now() - lastSeen < silenceMs ? 'ok' : 'absent';
    } catch {
      // That the engine is away is told beside this, by the check of the engine itself.
      return 'unknown';
    }
  }
}
