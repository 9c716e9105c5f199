import type { Connection } from '@temporalio/client';
import type { TaskFault } from './processes.ts';

const deadlineMs = 2_000;
/** Events that are read, the newest first. */
const eventsRead = 20;
/** Causes of WORKFLOW_TASK_FAILED in Temporal's interface: WORKFLOW_WORKER_UNHANDLED_FAILURE and NON_DETERMINISTIC_ERROR. */
const faults: ReadonlyMap<number, TaskFault> = new Map([
  [14, 'workflow_error'],
  [24, 'workflow_version'],
]);

/** Reads why the last workflow task of a run failed; null if it did not. Temporal records the first of several failures in a row. */
export async function findTaskFault(
  connection: Connection,
  namespace: string,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<TaskFault | null> {
  const { history } = await connection.withDeadline(Date.now() + deadlineMs, () =>
    connection.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: eventsRead,
    }),
  );
  const ended = history?.events?.find(
    (event) =>
      event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes ?? event.workflowTaskCompletedEventAttributes,
  );
  return faults.get(ended?.workflowTaskFailedEventAttributes?.cause ?? 0) ?? null;
}
