import { z } from 'zod';
import { amount, boundary, dateTimeResponse, id, idParam, listMeta, note, paging, processResponse, tiyn } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { confirmation } from '../accounts/index.ts';
import type { Invoice } from './entities.ts';
import { invoiceStatuses, ledgerTransactionTypes, statusAt } from './invoices/states.ts';
import { correctionDirections } from './ledger/correct-ledger.ts';
import type { LedgerRow } from './ledger/list-ledger.ts';
import { movedWallet } from './ledger/lock-wallet.ts';
import type { Operation } from './queries.ts';

const currency = z.literal('KZT');

const requiredKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1-255 visible ASCII characters');

export const invoiceHeaders = z.strictObject({
  'idempotency-key': requiredKey.describe(
    'Key of this invoice, without expiry. The same key with the same amount answers the same invoice',
  ),
});

/** A decimal string of KZT within a range. @param range in words, after "must be" */
function amountField(range: string, isAllowed: (minor: number) => boolean) {
  return amount.refine(isAllowed, `must be ${range}`).meta({
    wire: {
      type: 'string',
      pattern: '^(0|[1-9]\\d{0,9})\\.\\d{2}$',
      examples: ['1500.00'],
      description: `KZT, a decimal string with two decimals, ${range}`,
    },
  });
}

/** The amount of an invoice is limited (WAL-3). */
export const invoiceBody = z
  .strictObject({ amount: amountField('from 100.00 to 5000000.00', (minor) => minor >= 10_000 && minor <= 500_000_000) })
  .meta({ id: 'NewInvoice' });

export const invoiceResponse = z
  .object({
    id: z.int(),
    number: z.string().describe('Number of the invoice at the bank: 6-15 digits'),
    amount_minor: tiyn,
    currency,
    status: z
      .enum(invoiceStatuses)
      .describe(
        '`created`: no payment form was issued; `pending`: a form was issued; `paid`: the wallet was credited; `failed`: the bank refused the payment; `expired`: not paid within 24 hours; `mismatch`: the bank reports another invoice, amount, currency or terminal, nothing was credited and the federation checks the payment',
      ),
    late: z
      .boolean()
      .describe("Whether it was paid after `expires_at` by the bank's time of payment, or after a failure. Late money is credited too"),
    created_at: dateTimeResponse,
    expires_at: dateTimeResponse,
    paid_at: dateTimeResponse
      .nullable()
      .describe("The bank's time of payment; if the bank reports none, the time at which the registry received the answer"),
    bank_reference: z.string().nullable().describe("The bank's reference of the payment"),
  })
  .meta({ id: 'Invoice' });

export const invoiceRecordResponse = invoiceResponse
  .extend({
    owner_id: id.optional().describe('Account whose wallet it tops up; for administrators only'),
    process: processResponse.optional().describe('State of the process; for administrators only'),
  })
  .meta({ id: 'InvoiceDetail' });

export const checkoutResponse = z
  .object({
    action: z.string().meta({ format: 'uri', description: "Address of the bank's payment page" }),
    method: z.literal('POST'),
    fields: z.record(z.string(), z.string()).describe('Fields of the form; post them unchanged'),
    invoice: invoiceResponse,
  })
  .meta({ id: 'Checkout' });

const transactionType = z
  .enum(ledgerTransactionTypes)
  .describe('`correction`: by an administrator; `reversal`: undoes another transaction');

const operationResponse = z
  .object({
    id: z.int(),
    type: transactionType,
    amount_minor: z.int().describe('tiyn; negative for a debit of the wallet'),
    balance_minor: z.int().describe('The balance after this operation, tiyn'),
    application_id: z.int().nullable(),
    invoice_id: z.int().nullable(),
    reversal_of: z.int().nullable().describe('The operation that this one reverses'),
    flags: z.array(z.string()).describe('`late`: paid after the expiry or failure of the invoice'),
    at: dateTimeResponse,
  })
  .meta({ id: 'WalletOperation' });

export const walletQuery = z.strictObject({ ...paging });

export const walletMeta = listMeta.extend({
  total: z.int().min(0).describe('Number of operations'),
  invoices_total: z.int().min(0).describe('Number of invoices; `GET /invoices` lists them all'),
});

export const invoicesQuery = z.strictObject({
  ...paging,
  status: z.enum(invoiceStatuses).optional().describe('As the invoice shows it now'),
});

export const walletResponse = z
  .object({
    balance_minor: tiyn,
    currency,
    invoices: z.array(invoiceResponse).describe('The 20 newest invoices; `GET /invoices` lists all'),
    operations: z.array(operationResponse).describe('Newest first, by `page` and `limit`'),
  })
  .meta({ id: 'Wallet' });

export const ledgerQuery = z.strictObject({
  user_id: idParam.optional().describe('Owner of the changed wallet'),
  type: transactionType.optional(),
  from: boundary('from').optional().describe('A day or an instant, included'),
  to: boundary('to').optional().describe('A day, included, or an instant, not included'),
  ...paging,
});

export const ledgerRowResponse = z
  .object({
    id: z.int(),
    type: transactionType,
    amount_minor: z
      .int()
      .describe(
        "Change of the wallet of `user_id`, tiyn; negative for a debit. Without a wallet: the amount moved between the federation's accounts",
      ),
    user_id: id.nullable().describe('Owner of the changed wallet; null without a wallet'),
    reason: z.string().nullable().describe('Reason of a correction or a reversal'),
    actor_id: id.nullable().describe('User that caused it; null for the registry'),
    application_id: id.nullable(),
    invoice_id: id.nullable(),
    reversal_of: id.nullable().describe('The transaction that this one reverses'),
    reversed_by: id.nullable().describe('The transaction that reverses this one'),
    entries: z
      .array(
        z.object({
          account: z.string().meta({ description: 'Account of the ledger', examples: ['wallet:12', 'bank:clearing'] }),
          amount_minor: tiyn,
        }),
      )
      .describe('The amounts sum to zero; a positive one adds to the account'),
    at: dateTimeResponse,
  })
  .meta({ id: 'LedgerTransaction' });

const reasonAndConfirmation = {
  reason: note.describe("5-3000 characters; shown in the ledger and sent to the wallet's owner"),
  ...confirmation,
  incident_id: id.nullable().optional().describe('The incident that this transaction resolves'),
};

export const correctionHeaders = z.strictObject({
  'idempotency-key': requiredKey.describe(
    'Key of this correction, without expiry. The same key with the same content answers the same correction',
  ),
});

export const correctionBody = z
  .strictObject({
    user_id: id,
    amount: amountField('above zero', (minor) => minor > 0),
    direction: z.enum(correctionDirections).describe('`credit` adds money to the wallet, `debit` takes money from it'),
    ...reasonAndConfirmation,
  })
  .meta({ id: 'LedgerCorrection' });

export const entryParams = z.strictObject({ entry_id: idParam });
export const reversalBody = z.strictObject(reasonAndConfirmation).meta({ id: 'LedgerReversal' });

export const receivedResponse = z.object({ received: z.literal(true) });

type InvoiceWire = z.output<typeof invoiceResponse>;

/** Presents an invoice at an instant. */
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

/** Presents one line of a wallet's history. */
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

/** Presents a ledger transaction to administrators. */
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
