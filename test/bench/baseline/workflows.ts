/**
 * Baseline of 2026-11-21, frozen: do not change its behaviour. A changed baseline makes the figures of different days incomparable.
 *
 * It has the registry's processes of that day, when each step was a regular activity that the server dispatches eagerly with the workflow
 * task. The activities do nothing (`worker.ts`); there is no HTTP, SQL, bank or PDF. `npm run bench` reports ratios to it, measured in the
 * same run on the same machine. The SDK, the server and Node are those of the registry. Workflows that no benchmark needs are left out.
 */
import { type ActivityOptions, ApplicationFailure } from '@temporalio/common';
import { condition, patched, proxyActivities, setHandler } from '@temporalio/workflow';
import {
  type ApplicationLifecycleInput,
  bankHintSignal,
  type BaselineActivities,
  cancelApplicationUpdate,
  certificateUpdate,
  checkoutInvoiceUpdate,
  type DocumentReviewInput,
  type InvoiceReconciliationInput,
  payApplicationUpdate,
  reviewApplicationUpdate,
  reviewDocumentUpdate,
  submitApplicationUpdate,
  verifyInvoiceUpdate,
} from './contracts.ts';
import { Process, unlessBeginningNewRun } from './process.ts';

/** Steps of commands: they give up while the client still waits, so that it receives "try again". */
const answering: ActivityOptions = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
};
/** Steps of the process itself: retried until they succeed. */
const standard: ActivityOptions = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
};

const { submitApplication, payApplication, reviewApplication, cancelApplication, reviewDocument } =
  proxyActivities<BaselineActivities>(answering);
const { reconsiderApplication, reconsiderDocument, reconcileInvoice } = proxyActivities<BaselineActivities>(standard);
// The workers of the documents draw PDFs, so that drawing never delays an answer.
const { makeCertificate } = proxyActivities<BaselineActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  taskQueue: 'documents',
});
const { checkoutInvoice, verifyInvoice } = proxyActivities<BaselineActivities>({
  ...answering,
  retry: { ...answering.retry, maximumAttempts: 3 },
});

/** An application waits for its owner, the bank, an administrator and a date, and closes at the end of its year. */
export async function applicationLifecycle(input: ApplicationLifecycleInput): Promise<void> {
  const { applicationId } = input;
  let isCertificateMade = false;
  let isMaking = false;
  const makeCertificateOnce = async () => {
    if (isCertificateMade || isMaking) return;
    isMaking = true;
    try {
      await makeCertificate(applicationId);
      isCertificateMade = true;
    } finally {
      isMaking = false;
    }
  };
  const process = new Process(
    () => reconsiderApplication(applicationId),
    async (view) => {
      if (view.stage === 'approved') await makeCertificateOnce();
    },
  );
  process.onCommand(submitApplicationUpdate, (command) => submitApplication(applicationId, command));
  process.onCommand(payApplicationUpdate, (command) => payApplication(applicationId, command));
  process.onCommand(reviewApplicationUpdate, (command) => reviewApplication(applicationId, command));
  process.onCommand(cancelApplicationUpdate, (command) => cancelApplication(applicationId, command));
  setHandler(
    certificateUpdate,
    async () => {
      if (!patched('certificate-answer-gives-up')) {
        await process.inTurn(async () => (isMaking ? condition(() => isCertificateMade) : makeCertificateOnce()));
        return;
      }
      // Storage may be down for hours; the client receives "try again" before it stops waiting.
      makeCertificateOnce().catch(() => undefined);
      const isMade = await condition(() => isCertificateMade, '8s');
      if (!isMade)
        throw ApplicationFailure.create({
          message: 'the certificate is still being made',
          type: 'service_unavailable',
          nonRetryable: true,
        });
    },
    unlessBeginningNewRun,
  );
  await process.live(input);
}

/** A document waits for its review, then for the day on which it expires. */
export async function documentReview(input: DocumentReviewInput): Promise<void> {
  const process = new Process(() => reconsiderDocument(input.documentId));
  process.onCommand(reviewDocumentUpdate, (command) => reviewDocument(input.documentId, command));
  await process.live(input);
}

/** Queries the bank after a hint, on demand and at growing intervals until the status is final; then daily for late money. */
export async function invoiceReconciliation(input: InvoiceReconciliationInput): Promise<void> {
  const { invoiceId } = input;
  let isHinted = false;
  const process = new Process(async () => {
    const askNow = isHinted;
    isHinted = false;
    return reconcileInvoice(invoiceId, { askNow });
  });
  setHandler(bankHintSignal, () => {
    isHinted = true;
    process.wake();
  });
  process.onCommand(checkoutInvoiceUpdate, (command) => checkoutInvoice(invoiceId, command));
  process.onCommand(verifyInvoiceUpdate, (command) => verifyInvoice(invoiceId, command));
  await process.live(input);
}
