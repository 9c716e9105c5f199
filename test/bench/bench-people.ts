import { Client as EngineClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { createLog } from '../../src/platform/log.ts';
import { connectProcesses } from '../../src/platform/workflows/temporal-processes.ts';
import type { Stack } from '../../src/embedded/stack.ts';
import { preparePeople } from '../support/prepared-people.ts';
import type { PreparedPerson, PreparationOptions } from '../support/prepared-people.ts';
import { TestClient } from '../support/client.ts';
import { localUrl } from './bench-stack.ts';

export interface Administrator {
  id: number;
  key: string;
}

export async function signInAdministrator(stack: Stack): Promise<Administrator> {
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
  return { id: client.userId, key: await client.makeKey(['admin:read', 'admin:write']) };
}

export async function makePeople(stack: Stack, count: number, options: Omit<PreparationOptions, 'dataDir'>): Promise<PreparedPerson[]> {
  const owner = new Client({ connectionString: stack.migrationDatabaseUrl });
  await owner.connect();
  try {
    const people = await preparePeople(owner, count, { documentsExpireAt: null, dataDir: stack.dataDir, ...options });
    await adoptOrphans(stack);
    return people;
  } finally {
    await owner.end();
  }
}

/** Starts the processes of what was written by SQL now, lest the sweeper does so in the middle of a measurement. */
async function adoptOrphans(stack: Stack): Promise<void> {
  const processes = await connectProcesses({ ...stack.config, TEMPORAL_ADDRESS: stack.temporalAddress }, createLog('bench', 'warn'));
  await processes.sweep('bench').finally(() => processes.close());
}

/** The history of a process as it is now, one word for each event. */
export async function eventsOf(stack: Stack, workflowId: string, namespace = stack.config.TEMPORAL_NAMESPACE): Promise<string[]> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const client = new EngineClient({ connection, namespace });
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).map((event) => Object.keys(event).find((name) => name.endsWith('EventAttributes')) ?? '');
  } finally {
    await connection.close();
  }
}

export function countEvents(events: readonly string[]): string {
  const of = (word: string) => events.filter((event) => event.startsWith(word)).length;
  return `${events.length} events, ${of('workflowExecutionUpdateAccepted')} commands, ${of('activityTaskScheduled')} activities, ${of('workflowTaskCompleted')} turns`;
}
