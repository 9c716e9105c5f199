import { z } from 'zod';
import { amount, boundary, dateTimeResponse, id, idParam, note, paging, processResponse, tiyn } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/date-time.ts';
import { presentPassword } from '../accounts/index.ts';
import type { Invoice } from './entities.ts';
import { invoiceStatuses, ledgerTransactionTypes, statusAt } from './invoices/states.ts';
import { correctionDirections } from './ledger/correct-ledger.ts';
import type { LedgerRow } from './ledger/list-ledger.ts';
import { movedWallet } from './ledger/lock-wallet.ts';
import type { Operation } from './queries.ts';

/** Limits of an invoice's amount, tiyn (WAL-3). */
export const invoiceLimits = { minMinor: 10_000, maxMinor: 500_000_000 } as const;

const currency = z.literal('KZT');

const requiredKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1-255 visible ASCII characters');

export const invoiceHeaders = z.strictObject({
  'idempotency-key': requiredKey.meta({
    description: 'A name of your own for this invoice, for good: sent again with the same amount, it answers the same invoice',
  }),
});

export const invoiceBody = z
  .strictObject({
    amount: amount
      .refine((minor) => minor >= invoiceLimits.minMinor && minor <= invoiceLimits.maxMinor, 'must be from 100.00 to 5000000.00')
      .meta({
        description: 'KZT, from 100.00 to 5000000.00',
        wire: {
          type: 'string',
          pattern: '^(0|[1-9]\\d{0,9})\\.\\d{2}$',
          examples: ['1500.00'],
          description: 'KZT, a decimal string with two decimals, from 100.00 to 5000000.00',
        },
      }),
  })
  .meta({ id: 'NewInvoice' });

export const invoiceResponse = z
  .object({
    id: z.int(),
    number: z.string().meta({ description: 'The number the bank knows it by: 6-15 digits' }),
    amount_minor: tiyn,
    currency,
    status: z.enum(invoiceStatuses).meta({
      description:
        '`created`: no form given out yet; `pending`: the form is out; `paid`: the money is in the wallet; `failed`: refused by the bank; `expired`: not paid in 24 hours; `mismatch`: the bank reports another invoice, amount, currency or terminal, nothing was credited and the federation looks into it',
    }),
    late: z.boolean().meta({
      description: 'Paid after its time was up, by the time of payment that the bank names, or after it had failed; credited all the same',
    }),
    created_at: dateTimeResponse,
    expires_at: dateTimeResponse,
    paid_at: dateTimeResponse
      .nullable()
      .meta({ description: 'When it was paid, as the bank says; where it does not say, when the registry heard of it' }),
    bank_reference: z.string().nullable().meta({ description: "The bank's own name of the payment" }),
  })
  .meta({ id: 'Invoice' });

export const invoiceRecordResponse = invoiceResponse
  .extend({
    process: processResponse.optional().meta({ description: 'How its process stands; shown to administrators only' }),
  })
  .meta({ id: 'InvoiceDetail' });

export const checkoutResponse = z
  .object({
    action: z.string().meta({ format: 'uri', description: "Address of the bank's payment page" }),
    method: z.literal('POST'),
    fields: z.record(z.string(), z.string()).meta({ description: 'Fields of the form, to be posted as they are' }),
    invoice: invoiceResponse,
  })
  .meta({ id: 'Checkout' });

export const operationResponse = z
  .object({
    id: z.int(),
    type: z.enum(ledgerTransactionTypes),
    amount_minor: z.int().meta({ description: 'tiyn; negative: taken from the wallet' }),
    balance_minor: z.int().meta({ description: 'The balance after this operation, tiyn' }),
    application_id: z.int().nullable(),
    invoice_id: z.int().nullable(),
    reversal_of: z.int().nullable().meta({ description: 'The operation that this one undoes' }),
    flags: z.array(z.string()).meta({ description: '`late`: the money came after its invoice had run out' }),
    at: dateTimeResponse,
  })
  .meta({ id: 'WalletOperation' });

export const walletQuery = z.strictObject({ ...paging });

export const walletResponse = z
  .object({
    balance_minor: tiyn,
    currency,
    invoices: z.array(invoiceResponse).meta({ description: 'The 20 newest' }),
    operations: z.array(operationResponse).meta({ description: 'Newest first, by `page` and `limit`' }),
  })
  .meta({ id: 'Wallet' });

export const ledgerQuery = z.strictObject({
  user_id: idParam.optional().meta({ description: 'Whose wallet was moved' }),
  type: z.enum(ledgerTransactionTypes).optional(),
  from: boundary('from').optional().meta({ description: 'A day or an instant, included' }),
  to: boundary('to').optional().meta({ description: 'A day, included, or an instant, not included' }),
  ...paging,
});

export const ledgerRowResponse = z
  .object({
    id: z.int(),
    type: z.enum(ledgerTransactionTypes),
    amount_minor: z.int().meta({
      description:
        "By how much the wallet of `user_id` changed, tiyn; negative: taken from it. Without a wallet: what was moved between the federation's accounts",
    }),
    user_id: id.nullable().meta({ description: 'Whose wallet was moved' }),
    reason: z.string().nullable().meta({ description: 'Of a correction and a reversal, in words' }),
    actor_id: id.nullable().meta({ description: 'Who brought it about; null when the registry did it by itself' }),
    application_id: id.nullable(),
    invoice_id: id.nullable(),
    reversal_of: id.nullable().meta({ description: 'The transaction that this one undoes' }),
    reversed_by: id.nullable().meta({ description: 'The transaction that undoes this one' }),
    entries: z
      .array(z.object({ account: z.string().meta({ examples: ['wallet:12', 'bank:clearing'] }), amount_minor: z.int() }))
      .meta({ description: 'They sum to zero; positive adds to the account' }),
    at: dateTimeResponse,
  })
  .meta({ id: 'LedgerTransaction' });

const confirmation = {
  reason: note.meta({ description: "5-3000 characters; shown in the ledger and told to the wallet's owner" }),
  password: presentPassword.meta({ description: 'Your own' }),
  incident_id: id.nullable().optional().meta({ description: 'An incident that is settled by it' }),
};

export const correctionHeaders = z.strictObject({
  'idempotency-key': requiredKey.meta({
    description: 'A name of your own for this correction, for good: sent again with the same content, it answers the same correction',
  }),
});

export const correctionBody = z
  .strictObject({
    user_id: id,
    amount: amount
      .refine((minor) => minor > 0, 'must be above zero')
      .meta({
        wire: {
          type: 'string',
          pattern: '^(0|[1-9]\\d{0,9})\\.\\d{2}$',
          examples: ['1500.00'],
          description: 'KZT, a decimal string with two decimals, above zero',
        },
      }),
    direction: z.enum(correctionDirections).meta({ description: '`credit` puts money into the wallet, `debit` takes it out' }),
    ...confirmation,
  })
  .meta({ id: 'LedgerCorrection' });

export const entryParams = z.strictObject({ entry_id: idParam });
export const reversalBody = z.strictObject(confirmation).meta({ id: 'LedgerReversal' });

export const receivedResponse = z.object({ received: z.literal(true) });

type InvoiceWire = z.output<typeof invoiceResponse>;

/** Presents an invoice as it stands at an instant. */
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
