import { checkoutInvoiceUpdate } from '../../workflows/invoice-reconciliation.contract.ts';
import { defineProcess, on } from '../platform/workflows/define-process.ts';
import { checkoutInvoice } from './checkout-invoice.ts';
import { describeInvoice } from './describe-invoice.ts';
import { listDueInvoices, listLivingInvoices, readInvoices } from './queries.ts';

/**
 * An invoice from its creation until the bank has had its last word. Its payment status queries leave the database, so they are
 * activities of their own (`activities/invoices.ts`), `verify` among them; when the next one is due is a fact of the invoice itself.
 */
export const invoiceProcess = defineProcess({
  kind: 'invoice',
  workflow: 'invoiceReconciliation',
  queue: 'registry',
  summary: (id) => `Invoice ${id}: reconciliation with the bank`,
  read: readInvoices,
  describe: describeInvoice,
  // Its form may be given out again, which changes nothing of how it stands.
  since: ({ status, createdAt, expiresAt, updatedAt }) => {
    if (status === 'created' || status === 'pending') return createdAt;
    return status === 'expired' ? expiresAt : updatedAt;
  },
  due: listDueInvoices,
  living: listLivingInvoices,
  commands: [on(checkoutInvoiceUpdate, checkoutInvoice)],
});
