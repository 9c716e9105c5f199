import { invoiceContract } from '../../../../workflows/contracts/invoice.contract.ts';
import { assertNever } from '../../../errors.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { defineProcess, type NextLook, type ProcessState } from '../../../platform/workflows/define-process.ts';
import { livingOf } from '../../../platform/workflows/due-at.ts';
import type { Invoice } from '../entities.ts';
import { listDueInvoices, readInvoices } from '../queries.ts';
import { checkoutInvoice } from './checkout-invoice.ts';
import { isQueryDue } from './payment-query-schedule.ts';
import { isOpen } from './states.ts';

/** Describes an invoice's process. A due invoice needs a payment query, which runs outside of any transaction. */
export function describeInvoice(invoice: Readonly<Invoice>, now: Date): ProcessState {
  return {
    stage: invoice.status,
    waitingFor: waitingFor(invoice),
    details: detailsOf(invoice),
    isOver: invoice.nextAskAt === null,
    isDue: isQueryDue(invoice, now),
    next: nextLook(invoice),
  };
}

function nextLook({ status, nextAskAt, expiresAt }: Readonly<Invoice>): NextLook | null {
  if (nextAskAt === null) return null;
  if (!isOpen(status)) return { at: nextAskAt, why: 'query for late money' };
  return { at: nextAskAt, why: nextAskAt >= expiresAt ? 'invoice expires' : 'next query to the bank' };
}

function waitingFor(invoice: Readonly<Invoice>): ProcessState['waitingFor'] {
  switch (invoice.status) {
    case 'created':
      return 'owner';
    case 'pending':
      return 'bank';
    case 'failed':
    case 'expired':
      return invoice.nextAskAt === null ? 'none' : 'bank';
    case 'mismatch':
      return 'administrator';
    case 'paid':
      return 'none';
    default:
      return assertNever(invoice.status);
  }
}

function detailsOf(invoice: Readonly<Invoice>): string {
  const { number } = invoice;
  switch (invoice.status) {
    case 'created':
      return `Waits for the payer to open the bank's form: invoice ${number}. It expires at ${formatDateTime(invoice.expiresAt)}.`;
    case 'pending':
      return `Waits for the bank: invoice ${number}, queried ${times(invoice.asked)} after the checkout. ${nextQuery(invoice)}`;
    case 'failed':
      return `The bank refused the payment of invoice ${number}. ${lateMoney(invoice)}`;
    case 'expired':
      return `Invoice ${number} was not paid in time. ${lateMoney(invoice)}`;
    case 'mismatch':
      return `The bank's answer does not match invoice ${number}. Nothing was credited. An administrator must resolve the incident.`;
    case 'paid':
      return invoice.late ? `Invoice ${number} is paid and credited; the payment was late.` : `Invoice ${number} is paid and credited.`;
    default:
      return assertNever(invoice.status);
  }
}

function nextQuery(invoice: Readonly<Invoice>): string {
  return invoice.nextAskAt === null ? 'No further query.' : `Next query at ${formatDateTime(invoice.nextAskAt)}.`;
}

function lateMoney(invoice: Readonly<Invoice>): string {
  return invoice.nextAskAt === null ? 'No further query.' : `Query for late money at ${formatDateTime(invoice.nextAskAt)}.`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/**
 * An invoice's process, from its creation to its last payment query (WAL-7). Queries call the bank, so they are separate activities
 * (`activities/invoices.ts`), `verify` included. The invoice's row holds the time of the next query.
 */
export const invoiceProcess = defineProcess(invoiceContract, {
  summary: (id) => `Invoice ${id}: reconciliation with the bank`,
  read: readInvoices,
  describe: describeInvoice,
  // A repeated checkout updates the row but does not restart the waiting time.
  since: ({ status, createdAt, expiresAt, updatedAt }) => {
    if (status === 'created' || status === 'pending') return createdAt;
    return status === 'expired' ? expiresAt : updatedAt;
  },
  listDue: listDueInvoices,
  listLiving: livingOf('invoices', 'next_ask_at is not null'),
  commands: {
    checkout: checkoutInvoice,
  },
});
