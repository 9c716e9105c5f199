// Baseline of 2026-11-21, frozen: see index.ts.
import {
  Client,
  Connection,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type SearchAttributePair, type UpdateDefinition } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { bankHintSignal } from './invoice-reconciliation.contract.ts';
import { beginsNewRun, factsChangedSignal, type ProcessCommand, searchAttributes } from './process.contract.ts';
import type { TaskQueue } from './settings.ts';

/** A caller waits this long at the most; the engine's own retries happen within it. */
const answerDeadlineMs = 10_000;
const touchDeadlineMs = 5_000;

export type BaselineKind = 'application' | 'document' | 'invoice';

interface ProcessType {
  workflowType: string;
  taskQueue: TaskQueue;
  input(id: number): unknown;
  attributes(id: number): SearchAttributePair[];
  summary(id: number): string;
}

const none = () => [];

const processTypes: Record<BaselineKind, ProcessType> = {
  application: {
    workflowType: 'applicationLifecycle',
    taskQueue: 'registry',
    input: (id) => ({ applicationId: id }),
    attributes: (id) => [{ key: searchAttributes.applicationId, value: String(id) }],
    summary: (id) => `Application ${id}: draft, payment, approval, end of its year`,
  },
  document: {
    workflowType: 'documentReview',
    taskQueue: 'documents',
    input: (id) => ({ documentId: id }),
    attributes: none,
    summary: (id) => `Document ${id}: review and expiry`,
  },
  invoice: {
    workflowType: 'invoiceReconciliation',
    taskQueue: 'bank',
    input: (id) => ({ invoiceId: id }),
    attributes: none,
    summary: (id) => `Invoice ${id}: reconciliation with the bank`,
  },
};

/** The client of that day: every command is an update-with-start, every wake-up a signal-with-start. */
export class BaselineClient {
  private readonly connection: Connection;
  private readonly client: Client;
  private readonly background = new Set<Promise<void>>();

  constructor(address: string, namespace: string) {
    this.connection = Connection.lazy({ address, connectTimeout: '5s' });
    this.client = new Client({ connection: this.connection, namespace });
  }

  /**
   * A process that completed while the message was on its way is started again; one that has its hands full (ten messages at once) is asked
   * again until the caller's time is over.
   */
  async command<Args>(kind: BaselineKind, id: number, update: UpdateDefinition<void, [ProcessCommand<Args>]>, args: Args): Promise<void> {
    const requestId = randomUUID();
    const command = { commandId: randomUUID(), caller: { actor: { kind: 'process' as const }, requestId, ip: null }, args };
    const updateId = randomUUID();
    const deadline = Date.now() + answerDeadlineMs;
    for (;;) {
      try {
        const { workflowType, ...start } = startOptions(kind, id, requestId);
        const startWorkflowOperation = new WithStartWorkflowOperation(workflowType, { ...start, workflowIdConflictPolicy: 'USE_EXISTING' });
        await this.client.withDeadline(deadline, () =>
          this.client.workflow.executeUpdateWithStart(update, { args: [command], updateId, startWorkflowOperation }),
        );
        return;
      } catch (error) {
        const pauseMs = 50 + Math.random() * 150;
        if (!mayPass(error) || Date.now() + pauseMs > deadline) throw error;
        await setTimeout(pauseMs);
      }
    }
  }

  async touch(kind: BaselineKind, id: number): Promise<void> {
    const { workflowType, ...start } = startOptions(kind, id, randomUUID());
    await this.client.withDeadline(Date.now() + touchDeadlineMs, () =>
      this.client.workflow.signalWithStart(workflowType, { ...start, signal: factsChangedSignal, signalArgs: [] }),
    );
  }

  touchInBackground(kind: BaselineKind, id: number): void {
    this.inBackground(this.touch(kind, id));
  }

  hintInBackground(invoiceId: number): void {
    const { workflowType, ...start } = startOptions('invoice', invoiceId, randomUUID());
    const sent = this.client.withDeadline(Date.now() + touchDeadlineMs, () =>
      this.client.workflow.signalWithStart(workflowType, { ...start, signal: bankHintSignal, signalArgs: [] }),
    );
    this.inBackground(sent.then(() => undefined));
  }

  async close(): Promise<void> {
    await Promise.all(this.background);
    await this.connection.close();
  }

  private inBackground(sent: Promise<void>): void {
    const handled = sent
      .catch((error: unknown) => void process.stderr.write(`baseline: a message was not delivered: ${String(error)}\n`))
      .finally(() => this.background.delete(handled));
    this.background.add(handled);
  }
}

function startOptions(kind: BaselineKind, id: number, requestId: string) {
  const type = processTypes[kind];
  return {
    workflowType: type.workflowType,
    workflowId: `${kind}/${id}`,
    taskQueue: type.taskQueue,
    args: [type.input(id)],
    memo: { requestId },
    typedSearchAttributes: [...type.attributes(id), { key: searchAttributes.requestId, value: requestId }],
    staticSummary: type.summary(id),
    workflowTaskTimeout: '3s' as const,
  };
}

function mayPass(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  if (error instanceof WorkflowUpdateFailedError)
    return (
      error.cause instanceof ApplicationFailure &&
      (error.cause.type === 'AcceptedUpdateCompletedWorkflow' || error.cause.type === beginsNewRun)
    );
  return isGrpcServiceError(error) && passingGrpcCodes.has(error.code);
}

/** RESOURCE_EXHAUSTED and ABORTED. */
const passingGrpcCodes: ReadonlySet<number> = new Set([8, 10]);
