import { DomainError } from '../../../errors.ts';
import type { Locked } from '../../../platform/database/lock.ts';

/** States of an invoice (decisions.md §5). `created` and `pending` are open; `mismatch` and `paid` are final. */
export const invoiceStatuses = ['created', 'pending', 'paid', 'failed', 'expired', 'mismatch'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Kinds of movement in the ledger. */
export const ledgerTransactionTypes = ['invoice_payment', 'application_payment', 'application_refund', 'correction', 'reversal'] as const;
export type LedgerTransactionType = (typeof ledgerTransactionTypes)[number];

/**
 * What can happen to an invoice. `checkout`: the bank's form is given out · `pay`, `fail`, `mismatch`: what follows from the bank's
 * response · `expire`: its time is up.
 */
export const invoiceActions = ['checkout', 'pay', 'fail', 'expire', 'mismatch'] as const;
export type InvoiceAction = (typeof invoiceActions)[number];

/**
 * The only list of what is allowed. Money that comes after an invoice failed or expired still counts: it is credited late.
 * From `mismatch` nothing follows: a person of the federation decides by a correction.
 */
const transitions: Record<InvoiceStatus, Partial<Record<InvoiceAction, InvoiceStatus>>> = {
  created: { checkout: 'pending', pay: 'paid', fail: 'failed', expire: 'expired', mismatch: 'mismatch' },
  pending: { checkout: 'pending', pay: 'paid', fail: 'failed', expire: 'expired', mismatch: 'mismatch' },
  failed: { pay: 'paid', mismatch: 'mismatch' },
  expired: { pay: 'paid', mismatch: 'mismatch' },
  paid: {},
  mismatch: {},
};

/** The status after an action, null where the status refuses it. */
export function nextStatus(status: InvoiceStatus, action: InvoiceAction): InvoiceStatus | null {
  return transitions[status][action] ?? null;
}

export function allowedActions(status: InvoiceStatus): InvoiceAction[] {
  return invoiceActions.filter((action) => nextStatus(status, action) !== null);
}

/** Takes an invoice to its next status. @throws {DomainError} invalid_state, with the status and what it allows */
export function transition(invoice: Locked<{ status: InvoiceStatus }>, action: InvoiceAction): void {
  const { status } = invoice;
  const next = nextStatus(status, action);
  if (next === null) throw new DomainError('invalid_state', { status, allowed: allowedActions(status) });
  invoice.status = next;
}

/** Whether an invoice can still be paid by its form. */
export function isOpen(status: InvoiceStatus): boolean {
  return nextStatus(status, 'checkout') !== null;
}

/** The statuses of an invoice that can still be paid by its form. */
export const openStatuses: readonly InvoiceStatus[] = invoiceStatuses.filter(isOpen);

/** Whether nothing can follow: the bank is not asked about it any more. */
export function isFinal(status: InvoiceStatus): boolean {
  return allowedActions(status).length === 0;
}

/** The status as it is to be seen at an instant: an open invoice past its time is expired, even if no timer has said so yet. */
export function statusAt(invoice: { status: InvoiceStatus; expiresAt: Date }, instant: Date): InvoiceStatus {
  return isOpen(invoice.status) && instant >= invoice.expiresAt ? 'expired' : invoice.status;
}
