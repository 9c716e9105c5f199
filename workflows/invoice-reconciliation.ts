import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { answering, patient } from './activity-profiles.ts';
import { invoiceContract } from './contracts/invoice.contract.ts';
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
export const invoiceReconciliation = recordWorkflow(invoiceContract, (_process, id) => ({
  async reconsider(step) {
    const view = await step();
    return view.isDue ? reconcileInvoice(id) : view;
  },
  commands: { verify: (command) => verifyInvoice(id, command) },
}));
