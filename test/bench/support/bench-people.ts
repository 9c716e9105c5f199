import { randomUUID } from 'node:crypto';
import { processRef } from '../../../src/platform/workflows/process-ref.ts';
import type { Stack } from '../../../src/tools/embedded/stack.ts';
import { TestClient } from '../../support/client.ts';
import { type InsertedPerson, insertPeople, type InsertOptions, openRecord } from '../../support/factories.ts';
import { waitFor } from '../../support/wait-for.ts';
import { inParallel, localUrl, withPlatform, withTemporal } from './bench-stack.ts';

export interface Administrator {
  id: number;
  key: string;
}

export async function signInAdministrator(stack: Stack): Promise<Administrator> {
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
  return { id: client.userId, key: await client.makeKey(['admin:read', 'admin:write']) };
}

/** Inserts people who are ready to apply, and starts the processes of the medical documents that are pending. */
export async function makePeople(stack: Stack, count: number, options: Omit<InsertOptions, 'dataDir'>): Promise<InsertedPerson[]> {
  await using record = openRecord(stack.migrationDatabaseUrl);
  const people = await insertPeople(record, count, { documentsExpireAt: null, dataDir: stack.dataDir, ...options });
  const pending = people.filter((_, index) => options.isMedicalPending?.(index)).map((person) => person.documentIds[1]);
  await startProcesses(stack, pending);
  return people;
}

/** An application that can be submitted, and a client of its owner. */
export interface Draft {
  id: number;
  client: TestClient;
}

export async function makeDraft(stack: Stack, person: InsertedPerson): Promise<Draft> {
  const client = new TestClient(localUrl(stack), person.key);
  const body = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  return { id: client.expect(201, await client.post('/applications', body)).body.data.id, client };
}

/** As an upload does. Rows inserted by SQL woke no process, and the sweeper must not do it during a measurement. */
async function startProcesses(stack: Stack, documentIds: readonly number[]): Promise<void> {
  if (documentIds.length === 0) return;
  await withPlatform(stack, ({ processes }) =>
    inParallel(documentIds, 8, (id) => processes.wake({ process: processRef('document', id), requestId: randomUUID() })),
  );
}

/** Waits until every running process has completed its first workflow task, so that preparations do not delay the measurement. */
export async function untilSettled(stack: Stack, namespace = stack.config.TEMPORAL_NAMESPACE): Promise<void> {
  await withTemporal(stack, namespace, async (client) => {
    const running = [];
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) running.push(workflowId);
    await inParallel(running, 16, (workflowId) =>
      waitFor(
        async () => (await client.workflow.getHandle(workflowId).describe()).historyLength,
        (length) => length >= 5,
        `the first workflow task of ${workflowId}`,
        120_000,
      ),
    );
  });
}

/** Event types of a process's history. */
export async function eventsOf(stack: Stack, workflowId: string, namespace = stack.config.TEMPORAL_NAMESPACE): Promise<string[]> {
  return withTemporal(stack, namespace, async (client) => {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).map((event) => Object.keys(event).find((name) => name.endsWith('EventAttributes')) ?? '');
  });
}

export function countEvents(events: readonly string[]): string {
  const of = (word: string) => events.filter((event) => event.startsWith(word)).length;
  return `${events.length} events, ${of('workflowExecutionUpdateAccepted')} commands, ${of('activityTaskScheduled')} activities, ${of('workflowTaskCompleted')} workflow tasks`;
}
