import { proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { answering, patient } from './activity-profiles.ts';
import { bankHintSignal, invoiceContract } from './invoice.contract.ts';
import { recordWorkflow } from './record-workflow.ts';

const bankQueue = { taskQueue: 'bank' };
const { verifyInvoice } = proxyActivities<Activities>({
  ...answering,
  ...bankQueue,
  retry: { ...answering.retry, maximumAttempts: 3 },
  summary: 'queries the bank for the owner',
});
const { reconcileInvoice } = proxyActivities<Activities>({ ...patient, ...bankQueue, summary: 'queries the bank' });

/**
 * Runs an invoice's process: queries the bank after a callback, on the owner's request, and at growing intervals until it is paid, failed
 * or expired; then once a day for late payments.
 */
export const invoiceReconciliation = recordWorkflow(invoiceContract, (process, id) => {
  let isHinted = false;
  setHandler(bankHintSignal, ({ requestId }) => {
    isHinted = true;
    process.wake(requestId);
  });
  return {
    async reconsider(step) {
      if (isHinted) {
        isHinted = false;
        try {
          return await reconcileInvoice(id, { askNow: true });
        } catch (error) {
          isHinted = true;
          throw error;
        }
      }
      const view = await step();
      return view.isDue ? reconcileInvoice(id, { askNow: false }) : view;
    },
    commands: { verify: (command) => verifyInvoice(id, command) },
  };
});
