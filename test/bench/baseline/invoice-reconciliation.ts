// Baseline of 2026-11-21, frozen: see index.ts.
import { proxyActivities, setHandler } from '@temporalio/workflow';
import type { BaselineActivities } from './activities.ts';
import { answering, standard } from './activity-profiles.ts';
import {
  bankHintSignal,
  checkoutInvoiceUpdate,
  type InvoiceReconciliationInput,
  verifyInvoiceUpdate,
} from './invoice-reconciliation.contract.ts';
import { Process } from './process.ts';

const { checkoutInvoice, verifyInvoice } = proxyActivities<BaselineActivities>({
  ...answering,
  retry: { ...answering.retry, maximumAttempts: 3 },
});
const { reconcileInvoice } = proxyActivities<BaselineActivities>(standard);

/**
 * An invoice's life: the bank is asked when it hints, when its owner wants to know, and by itself at growing intervals until it has paid,
 * failed or run out; then once a day for late money.
 */
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
