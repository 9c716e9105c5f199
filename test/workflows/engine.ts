import { Client, Connection } from '@temporalio/client';
import { installTemporalRuntime } from '../support/temporal-runtime.ts';
import { NativeConnection, Worker } from '@temporalio/worker';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Activities } from '../../activities/index.ts';
import { definitions } from '../../src/registry/areas.ts';
import { loadConfig, taskQueues, workflowQueues } from '../../src/registry/config.ts';
import { createLog } from '../../src/platform/logging/log.ts';
import type { ProcessRef } from '../../src/platform/workflows/process-ref.ts';
import type { CommandOptions, Processes } from '../../src/platform/workflows/processes.ts';
import { connectProcesses } from '../../src/platform/workflows/temporal-processes.ts';
import { ensureSearchAttributes } from '../../worker/prepare-temporal.ts';
import { temporalAddress, workflowBundlePath } from '../support/servers.ts';

/** The real Temporal with the real workflows, in a separate namespace for each test file; only the activities are replaced. */
export interface TestEngine {
  client: Client;
  /** The same port by which the API reaches the processes. */
  processes: Processes;
  /** The state that the run of a process has shown. */
  describe(process: ProcessRef): Promise<Shown>;
  close(): Promise<void>;
}

export interface Shown {
  runId: string;
  status: string;
  stage: string | undefined;
  waitingFor: string | undefined;
  requestId: string | undefined;
  memoRequestId: unknown;
  summary: string | undefined;
  details: string;
}

/** @param given a separate server; default: the shared one */
export async function startTestEngine(activities: Activities, given?: string): Promise<TestEngine> {
  installTemporalRuntime();
  const [address, codePath] = await Promise.all([given ?? temporalAddress(), workflowBundlePath()]);
  const namespace = `t${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  await ensureSearchAttributes(connection, namespace);
  const config = loadConfig({ NODE_ENV: 'test', TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
  const processes = await connectProcesses(config, createLog('test', 'silent'), definitions, async () => undefined);
  const client = new Client({ connection, namespace });
  const nativeConnection = await NativeConnection.connect({ address });
  const workers = await Promise.all(
    taskQueues.map((taskQueue) =>
      Worker.create({
        connection: nativeConnection,
        namespace,
        taskQueue,
        activities,
        ...(workflowQueues.some((queue) => queue === taskQueue) ? { workflowBundle: { codePath } } : {}),
        stickyQueueScheduleToStartTimeout: '1s',
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    client,
    processes,
    describe: (process) => describe(client, process),
    async close() {
      for (const worker of workers) worker.shutdown();
      await running;
      await processes.close();
      await nativeConnection.close();
      await connection.close();
    },
  };
}

async function describe(client: Client, process: ProcessRef): Promise<Shown> {
  const handle = client.workflow.getHandle(process);
  const found = await handle.describe();
  const keyword = (name: string) => {
    const pair = found.typedSearchAttributes.getAll().find(({ key }) => key.name === name);
    return pair === undefined ? undefined : String(pair.value);
  };
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return {
    runId: found.runId,
    status: found.status.name,
    stage: keyword('Stage'),
    waitingFor: keyword('WaitingFor'),
    requestId: keyword('RequestId'),
    memoRequestId: found.memo?.['requestId'],
    summary: await found.staticSummary(),
    details: metadata.currentDetails ?? '',
  };
}

let requests = 0;

/** A caller that sends commands; each request has its own id. */
export function administrator(commandId: string = randomUUID()): CommandOptions & { requestId: string } {
  requests += 1;
  const requestId = `request-${requests}`;
  const actor = { kind: 'user', userId: 7, isAdministrator: true, impersonatedUserId: null } as const;
  return { caller: { actor, requestId, ip: '127.0.0.1' }, commandId, requestId };
}
