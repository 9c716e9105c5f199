import type { Client } from '@temporalio/client';
import { processRef, type ProcessRef } from './process-ref.ts';
import type { FailedProcess } from './processes.ts';

/** Ids in one query, and processes in one page. */
const pageSize = 100;
/** Statuses of failed processes. Terminated ones are a separate group, because a rebuild terminates many. */
const failedStatuses = [
  ['Failed', 'TimedOut'],
  ['Terminated', 'Canceled'],
];

/** Lists processes that failed and do not run again, as `Processes.listFailed` describes. */
export async function listFailed(
  client: Client,
  workflowTypes: readonly string[],
  most: number,
): Promise<{ failed: FailedProcess[]; isWhole: boolean }> {
  const types = quoted(workflowTypes);
  const ended = await Promise.all(
    failedStatuses.map((statuses) => listEnded(client, `ExecutionStatus IN (${quoted(statuses)}) AND WorkflowType IN (${types})`, most)),
  );
  const newest = new Map<ProcessRef, FailedProcess>();
  for (const run of ended.flat().toSorted((left, right) => right.endedAt.getTime() - left.endedAt.getTime()))
    if (!newest.has(run.process)) newest.set(run.process, run);
  const running = await listRunning(client, [...newest.keys()]);
  return {
    failed: [...newest.values()].filter(({ process: ref }) => !running.has(ref)),
    isWhole: ended.every((found) => found.length < most),
  };
}

/** Lists running processes that passed a change of their workflow, in pages, as `Processes.listPatched` describes. */
export async function* listPatched(client: Client, patch: string, startedBefore: Date): AsyncIterable<ProcessRef[]> {
  const query = `ExecutionStatus = 'Running' AND TemporalChangeVersion = '${patch}' AND StartTime < '${startedBefore.toISOString()}'`;
  let page: ProcessRef[] = [];
  for await (const { workflowId } of client.workflow.list({ query, pageSize: 1000 })) {
    const ref = refOfRecord(workflowId);
    if (ref !== null) page.push(ref);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Quotes constants and ids for a query of Temporal. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/** Lists ended processes, the newest first. */
async function listEnded(client: Client, query: string, most: number): Promise<FailedProcess[]> {
  const found: FailedProcess[] = [];
  for await (const { workflowId, status, closeTime } of client.workflow.list({ query, pageSize: most })) {
    const ref = refOfRecord(workflowId);
    if (ref !== null) found.push({ process: ref, outcome: status.name.toLowerCase(), endedAt: closeTime ?? new Date() });
    if (found.length >= most) break;
  }
  return found;
}

/** Returns which of these processes run. */
async function listRunning(client: Client, processes: readonly ProcessRef[]): Promise<ReadonlySet<string>> {
  const running = new Set<string>();
  const slices = Array.from({ length: Math.ceil(processes.length / pageSize) }, (_, index) =>
    processes.slice(index * pageSize, (index + 1) * pageSize),
  );
  await Promise.all(
    slices.map(async (slice) => {
      const query = `ExecutionStatus = 'Running' AND WorkflowId IN (${quoted(slice)})`;
      for await (const { workflowId } of client.workflow.list({ query, pageSize })) running.add(workflowId);
    }),
  );
  return running;
}

/** Returns the process of a workflow id; null for another id, which operators may use by hand. */
function refOfRecord(workflowId: string): ProcessRef | null {
  const [, kind, id] = /^([a-z-]+)\/([1-9]\d{0,9})$/.exec(workflowId) ?? [];
  return kind === undefined || id === undefined ? null : processRef(kind, id);
}
