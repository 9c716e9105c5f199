import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { Invoice } from './entities.ts';
import type { LedgerRow } from './list-ledger.ts';
import { movedWallet } from './moved-wallet.ts';
import type { Operation } from './queries.ts';
import type { invoiceResponse, ledgerRowResponse, operationResponse } from './schemas.ts';
import { statusAt } from './states.ts';

type InvoiceWire = z.output<typeof invoiceResponse>;

/** An invoice as its owner sees it at an instant. */
export function presentInvoice(invoice: Readonly<Invoice>, now: Date): InvoiceWire {
  return {
    id: invoice.id,
    number: invoice.number,
    amount_minor: invoice.amountMinor,
    currency: invoice.currency,
    status: statusAt(invoice, now),
    late: invoice.late,
    created_at: formatDateTime(invoice.createdAt),
    expires_at: formatDateTime(invoice.expiresAt),
    paid_at: invoice.paidAt && formatDateTime(invoice.paidAt),
    bank_reference: invoice.bankReference,
  };
}

/** One line of a wallet's history. */
export function presentOperation(operation: Operation): z.output<typeof operationResponse> {
  return {
    id: operation.id,
    type: operation.type,
    amount_minor: operation.amountMinor,
    balance_minor: operation.balanceMinor,
    application_id: operation.applicationId,
    invoice_id: operation.invoiceId,
    reversal_of: operation.reversalOf,
    flags: operation.flags,
    at: formatDateTime(operation.at),
  };
}

/** A movement of money as administrators see it. */
export function presentLedgerRow(row: LedgerRow): z.output<typeof ledgerRowResponse> {
  const { userId, amountMinor } = movedWallet(row.entries);
  return {
    id: row.id,
    type: row.type,
    amount_minor: amountMinor,
    user_id: userId,
    reason: row.reason,
    actor_id: row.actorId,
    application_id: row.applicationId,
    invoice_id: row.invoiceId,
    reversal_of: row.reversalOf,
    reversed_by: row.reversedBy,
    entries: row.entries.map((entry) => ({ account: entry.account, amount_minor: entry.amountMinor })),
    at: formatDateTime(row.at),
  };
}
