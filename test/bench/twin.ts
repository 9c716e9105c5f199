import { randomUUID } from 'node:crypto';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import type { Stack } from '../../src/embedded/stack.ts';
import { startChild } from './child.ts';
import { twinCommand, twinQueues } from './twin-process.contract.ts';
import type { TwinProcessInput } from './twin-process.contract.ts';

/** The no-op twin, reached by the very calls that the API makes: signal-with-start to touch, update-with-start to command. */
export interface Twin {
  touch(id: string, queue: keyof typeof twinQueues, input: TwinProcessInput): Promise<void>;
  command(id: string, queue: keyof typeof twinQueues, input: TwinProcessInput): Promise<void>;
  /** Resolves when the process is over. */
  end(id: string): Promise<void>;
  stop(): Promise<void>;
}

const deadlineMs = 10_000;

export async function startTwin(stack: Stack): Promise<Twin> {
  const worker = await startChild('twin-worker.ts', stack.env);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const client = new Client({ connection, namespace: stack.config.TEMPORAL_NAMESPACE });
  const startOptions = (id: string, queue: keyof typeof twinQueues, input: TwinProcessInput) => ({
    workflowId: id,
    taskQueue: twinQueues[queue],
    args: [input],
    memo: { requestId: id },
    staticSummary: 'A twin that does nothing',
  });
  return {
    async touch(id, queue, input) {
      await client.workflow.signalWithStart('twinProcess', { ...startOptions(id, queue, input), signal: 'facts-changed', signalArgs: [] });
    },
    async command(id, queue, input) {
      const startWorkflowOperation = new WithStartWorkflowOperation('twinProcess', {
        ...startOptions(id, queue, input),
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      await client.withDeadline(Date.now() + deadlineMs, () =>
        client.workflow.executeUpdateWithStart(twinCommand, {
          args: [{ commandId: randomUUID() }],
          updateId: randomUUID(),
          startWorkflowOperation,
        }),
      );
    },
    end: (id) => client.workflow.getHandle(id).result(),
    async stop() {
      await connection.close();
      await worker.stop();
    },
  };
}
