import { defineTransitions } from '../../../platform/commands/transitions.ts';

/** Statuses of an invoice. `created` and `pending` are open; `mismatch` and `paid` are final. */
export const invoiceStatuses = ['created', 'pending', 'paid', 'failed', 'expired', 'mismatch'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Types of ledger transactions. */
export const ledgerTransactionTypes = ['invoice_payment', 'application_payment', 'application_refund', 'correction', 'reversal'] as const;
export type LedgerTransactionType = (typeof ledgerTransactionTypes)[number];

/** Actions on an invoice. `checkout` gives out the bank's form; `pay`, `fail` and `mismatch` follow from the bank's response. */
export const invoiceActions = ['checkout', 'pay', 'fail', 'expire', 'mismatch'] as const;
export type InvoiceAction = (typeof invoiceActions)[number];

/**
 * The transition table of invoices. Money for a failed or expired invoice is credited late (WAL-8). `mismatch` is final: an
 * administrator settles it by a correction (WAL-6).
 */
const transitions = defineTransitions<InvoiceStatus, InvoiceAction>(invoiceActions, {
  created: { checkout: 'pending', pay: 'paid', fail: 'failed', expire: 'expired', mismatch: 'mismatch' },
  pending: { checkout: 'pending', pay: 'paid', fail: 'failed', expire: 'expired', mismatch: 'mismatch' },
  failed: { pay: 'paid', mismatch: 'mismatch' },
  expired: { pay: 'paid', mismatch: 'mismatch' },
  paid: {},
  mismatch: {},
});
export const { next: nextStatus, allowed: allowedActions, apply: transition } = transitions;

/** Whether an invoice can still be checked out. */
export function isOpen(status: InvoiceStatus): boolean {
  return nextStatus(status, 'checkout') !== null;
}

export const openStatuses: readonly InvoiceStatus[] = invoiceStatuses.filter(isOpen);

/** Whether no action is left, so that the bank is not asked again. */
export function isFinal(status: InvoiceStatus): boolean {
  return allowedActions(status).length === 0;
}

/** The status to show at an instant: an open invoice past its `expires_at` is `expired`, even before its timer has fired. */
export function statusAt(invoice: { status: InvoiceStatus; expiresAt: Date }, instant: Date): InvoiceStatus {
  return isOpen(invoice.status) && instant >= invoice.expiresAt ? 'expired' : invoice.status;
}
