import { Connection } from '@temporalio/client';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { ensureSearchAttributes } from '../../worker/prepare-temporal.ts';
import { waitFor } from '../support/wait-for.ts';
import { payApplicationUpdate, submitApplicationUpdate } from './baseline/application-lifecycle.contract.ts';
import { BaselineClient, type BaselineKind } from './baseline/client.ts';
import { reviewDocumentUpdate } from './baseline/document-review.contract.ts';
import { checkoutInvoiceUpdate, verifyInvoiceUpdate } from './baseline/invoice-reconciliation.contract.ts';
import { startChild } from './support/child.ts';
import { makeNamespace } from './support/namespaces.ts';

const namespace = 'baseline';

/**
 * The baseline that bars are ratios of (`baseline/index.ts`): workflows, worker settings and client calls as they were on 2026-11-21, in a
 * namespace of its own on the same Temporal, with activities that do nothing; no HTTP, no SQL, no bank, no PDF.
 */
export interface Baseline {
  namespace: string;
  touch(kind: BaselineKind, id: number): Promise<void>;
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

export async function startBaseline(stack: Stack): Promise<Baseline> {
  await makeNamespace(stack.temporalAddress, namespace);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  await ensureSearchAttributes(connection, namespace).finally(() => connection.close());
  const worker = await startChild('baseline/bench-worker.ts', { ...stack.env, TEMPORAL_NAMESPACE: namespace });
  const unmade = new Set<number>();
  worker.process.on('message', ({ applicationId }: { applicationId: number }) => unmade.delete(applicationId));
  const client = new BaselineClient(stack.temporalAddress, namespace);
  const review = { decision: 'approve' as const, privateInputId: null };
  return {
    namespace,
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
