/** States of an invoice (decisions.md §5). `created` and `pending` are open; `mismatch` and `paid` are final. */
export const invoiceStatuses = ['created', 'pending', 'paid', 'failed', 'expired', 'mismatch'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Kinds of movement in the ledger. */
export const ledgerTransactionTypes = ['invoice_payment', 'application_payment', 'application_refund', 'correction', 'reversal'] as const;
export type LedgerTransactionType = (typeof ledgerTransactionTypes)[number];

/** Whether an invoice can still be paid by its form. */
export function isOpen(status: InvoiceStatus): boolean {
  return status === 'created' || status === 'pending';
}

/**
 * What may follow what. Money that comes after an invoice failed or expired still counts: it is credited late.
 * From `mismatch` nothing follows: a person of the federation decides by a correction.
 */
export const nextInvoiceStatuses = {
  created: ['pending', 'paid', 'failed', 'expired', 'mismatch'],
  pending: ['paid', 'failed', 'expired', 'mismatch'],
  failed: ['paid', 'mismatch'],
  expired: ['paid', 'mismatch'],
  paid: [],
  mismatch: [],
} as const satisfies Record<InvoiceStatus, readonly InvoiceStatus[]>;

/** Whether nothing can follow: the bank is not asked about it any more. */
export function isFinal(status: InvoiceStatus): boolean {
  return nextInvoiceStatuses[status].length === 0;
}

/** The status as it is to be seen at an instant: an open invoice past its time is expired, even if no timer has said so yet. */
export function statusAt(invoice: { status: InvoiceStatus; expiresAt: Date }, instant: Date): InvoiceStatus {
  return isOpen(invoice.status) && instant >= invoice.expiresAt ? 'expired' : invoice.status;
}
