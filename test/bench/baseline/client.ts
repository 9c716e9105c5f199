import {
  Client,
  Connection,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type SearchAttributePair, type SignalDefinition, type UpdateDefinition } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Stack } from '../../../src/tools/embedded/stack.ts';
import { ensureSearchAttributes } from '../../../worker/prepare-temporal.ts';
import { waitFor } from '../../support/wait-for.ts';
import { makeNamespace, startChild } from '../stack.ts';
import {
  bankHintSignal,
  beginsNewRun,
  checkoutInvoiceUpdate,
  factsChangedSignal,
  payApplicationUpdate,
  type ProcessCommand,
  reviewDocumentUpdate,
  searchAttributes,
  submitApplicationUpdate,
  type TaskQueue,
  verifyInvoiceUpdate,
} from './workflows.ts';

// Baseline of 2026-11-21, frozen: see workflows.ts.

const baselineNamespace = 'baseline';
/** Limit of a command, with its retries. */
const answerDeadlineMs = 10_000;
const touchDeadlineMs = 5_000;

type BaselineKind = 'application' | 'document' | 'invoice';

/** The baseline in a namespace of its own on the stack's Temporal: the messages that the benchmarks send to it. */
export interface Baseline {
  namespace: string;
  touch(kind: BaselineKind, id: number): Promise<void>;
  hint(invoiceId: number): void;
  submit(applicationId: number): Promise<void>;
  pay(applicationId: number): Promise<void>;
  /** Then wakes the application of the same number, as the real review wakes the applications of a document. */
  review(documentId: number): Promise<void>;
  checkout(invoiceId: number): Promise<void>;
  verify(invoiceId: number): Promise<void>;
  /** Waits for the `makeCertificate` steps that follow the payments in the background. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export async function startBaseline(stack: Stack): Promise<Baseline> {
  await makeNamespace(stack.temporalAddress, baselineNamespace);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  await ensureSearchAttributes(connection, baselineNamespace).finally(() => connection.close());
  const worker = await startChild('baseline/worker.ts', { ...stack.env, TEMPORAL_NAMESPACE: baselineNamespace });
  const unmade = new Set<number>();
  worker.process.on('message', ({ applicationId }: { applicationId: number }) => unmade.delete(applicationId));
  const client = new BaselineClient(stack.temporalAddress, baselineNamespace);
  const review = { decision: 'approve' as const, privateInputId: null };
  return {
    namespace: baselineNamespace,
    touch: (kind, id) => client.touch(kind, id),
    hint: (id) => client.hintInBackground(id),
    submit: (id) => client.command('application', id, submitApplicationUpdate, {}),
    async pay(id) {
      unmade.add(id);
      await client.command('application', id, payApplicationUpdate, {});
    },
    async review(id) {
      await client.command('document', id, reviewDocumentUpdate, review);
      client.touchInBackground('application', id);
    },
    checkout: (id) => client.command('invoice', id, checkoutInvoiceUpdate, {}),
    verify: (id) => client.command('invoice', id, verifyInvoiceUpdate, {}),
    async settle() {
      await waitFor(
        () => unmade.size,
        (count) => count === 0,
        'the certificates of the baseline',
      );
    },
    async stop() {
      await client.close();
      await worker.stop();
    },
  };
}

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
class BaselineClient {
  private readonly connection: Connection;
  private readonly client: Client;
  private readonly background = new Set<Promise<void>>();

  constructor(address: string, namespace: string) {
    this.connection = Connection.lazy({ address, connectTimeout: '5s' });
    this.client = new Client({ connection: this.connection, namespace });
  }

  /** Starts a completed process again, and repeats the command while the process has ten messages in flight, until the deadline. */
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
        if (!isRetryable(error) || Date.now() + pauseMs > deadline) throw error;
        await setTimeout(pauseMs);
      }
    }
  }

  async touch(kind: BaselineKind, id: number): Promise<void> {
    await this.signal(kind, id, factsChangedSignal);
  }

  touchInBackground(kind: BaselineKind, id: number): void {
    this.inBackground(this.touch(kind, id));
  }

  hintInBackground(invoiceId: number): void {
    this.inBackground(this.signal('invoice', invoiceId, bankHintSignal));
  }

  async close(): Promise<void> {
    await Promise.all(this.background);
    await this.connection.close();
  }

  private async signal(kind: BaselineKind, id: number, signal: SignalDefinition): Promise<void> {
    const { workflowType, ...start } = startOptions(kind, id, randomUUID());
    await this.client.withDeadline(Date.now() + touchDeadlineMs, () =>
      this.client.workflow.signalWithStart(workflowType, { ...start, signal, signalArgs: [] }),
    );
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

function isRetryable(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  if (error instanceof WorkflowUpdateFailedError)
    return (
      error.cause instanceof ApplicationFailure &&
      (error.cause.type === 'AcceptedUpdateCompletedWorkflow' || error.cause.type === beginsNewRun)
    );
  return isGrpcServiceError(error) && retryableGrpcCodes.has(error.code);
}

/** RESOURCE_EXHAUSTED and ABORTED. */
const retryableGrpcCodes: ReadonlySet<number> = new Set([8, 10]);
