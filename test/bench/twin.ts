import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { createLog } from '../../src/platform/log.ts';
import { processRef } from '../../src/platform/process-ref.ts';
import type { Processes } from '../../src/platform/workflows/processes.ts';
import { connectProcesses } from '../../src/platform/workflows/temporal-processes.ts';
import type { Stack } from '../../src/embedded/stack.ts';
import { ensureSearchAttributes } from '../../worker/prepare-engine.ts';
import { payApplicationUpdate, submitApplicationUpdate } from '../../workflows/application-lifecycle.contract.ts';
import { reviewDocumentUpdate } from '../../workflows/document-review.contract.ts';
import { checkoutInvoiceUpdate, verifyInvoiceUpdate } from '../../workflows/invoice-reconciliation.contract.ts';
import { waitFor } from '../support/wait-for.ts';
import { startChild } from './child.ts';

const namespace = 'twin';

/**
 * The no-op twin: the same engine, workflows, worker settings and client calls, in a namespace of its own, with activities that
 * do nothing; no HTTP, no SQL, no bank, no PDF.
 */
export interface Twin {
  namespace: string;
  touch(kind: 'application' | 'document' | 'invoice', id: number): Promise<void>;
  hint(invoiceId: number): void;
  submit(applicationId: number): Promise<void>;
  pay(applicationId: number): Promise<void>;
  /** Wakes the application of the same number afterwards, as the real review does with those that stand on the document. */
  review(documentId: number): Promise<void>;
  checkout(invoiceId: number): Promise<void>;
  verify(invoiceId: number): Promise<void>;
  /** Waits for what follows the payments without anyone waiting for it: the certificates that are not made. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTwin(stack: Stack): Promise<Twin> {
  await makeNamespace(stack.temporalAddress);
  const config = { ...stack.config, TEMPORAL_ADDRESS: stack.temporalAddress, TEMPORAL_NAMESPACE: namespace };
  const worker = await startChild('twin-worker.ts', { ...stack.env, TEMPORAL_NAMESPACE: namespace });
  const unmade = new Set<number>();
  worker.process.on('message', ({ applicationId }: { applicationId: number }) => unmade.delete(applicationId));
  const processes: Processes = await connectProcesses(config, createLog('bench', 'warn'));
  const options = () => ({
    caller: { actor: { kind: 'process' as const }, requestId: randomUUID(), ip: null },
    idempotencyKey: randomUUID(),
  });
  const review = { decision: 'approve' as const, privateInputId: null };
  return {
    namespace,
    touch: (kind, id) => processes.touch(processRef(kind, id), randomUUID()),
    hint: (id) => processes.hintInBackground(processRef('invoice', id), 'bank-hint', randomUUID()),
    submit: (id) => processes.command(processRef('application', id), submitApplicationUpdate, {}, options()),
    async pay(id) {
      unmade.add(id);
      await processes.command(processRef('application', id), payApplicationUpdate, {}, options());
    },
    async review(id) {
      await processes.command(processRef('document', id), reviewDocumentUpdate, review, options());
      processes.touchInBackground(processRef('application', id), randomUUID());
    },
    checkout: (id) => processes.command(processRef('invoice', id), checkoutInvoiceUpdate, {}, options()),
    verify: (id) => processes.command(processRef('invoice', id), verifyInvoiceUpdate, {}, options()),
    async settle() {
      await waitFor(
        () => unmade.size,
        (count) => count === 0,
        'the certificates of the twin',
      );
    },
    async stop() {
      await processes.close();
      await worker.stop();
    },
  };
}

/** A new namespace is known to the whole server a moment after it was made. */
async function makeNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
    await ensureSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
}
