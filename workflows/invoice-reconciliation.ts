import { proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { answering, patient } from './activity-profiles.ts';
import { EntityWorkflow } from './entity-workflow.ts';
import { bankHintSignal, checkoutInvoiceUpdate, verifyInvoiceUpdate } from './invoice-reconciliation.contract.ts';
import type { RecordInput } from './process.contract.ts';

const bankQueue = { taskQueue: 'bank' };
const { verifyInvoice } = proxyActivities<Activities>({
  ...answering,
  ...bankQueue,
  retry: { ...answering.retry, maximumAttempts: 3 },
  summary: 'asks the bank for the owner',
});
const { reconcileInvoice } = proxyActivities<Activities>({ ...patient, ...bankQueue, summary: 'asks the bank' });

/**
 * Runs an invoice's process: queries the bank after a callback, on its owner's request, and at growing intervals until it is paid, failed
 * or
 * expired; then once a day for late money.
 */
export async function invoiceReconciliation(input: RecordInput): Promise<void> {
  let isHinted = false;
  const workflow = new EntityWorkflow('invoice', input, {
    reconsider: async (look) => {
      if (isHinted) {
        isHinted = false;
        try {
          return await reconcileInvoice(input.id, { askNow: true });
        } catch (error) {
          isHinted = true;
          throw error;
        }
      }
      const view = await look();
      return view.isDue ? reconcileInvoice(input.id, { askNow: false }) : view;
    },
  });
  setHandler(bankHintSignal, ({ requestId }) => {
    isHinted = true;
    workflow.wake(requestId);
  });
  workflow.onCommand(checkoutInvoiceUpdate);
  workflow.onCommand(verifyInvoiceUpdate, (command) => verifyInvoice(input.id, command));
  await workflow.live();
}
