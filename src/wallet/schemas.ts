import { z } from 'zod';
import { amount, dateTimeResponse, paging, tiyn, processResponse } from '../http/schemas.ts';
import { invoiceStatuses, ledgerTransactionTypes } from './states.ts';

/** Least and greatest amount of an invoice, tiyn: 100.00 to 5 000 000.00 KZT (decisions.md §5). */
export const invoiceLimits = { minMinor: 10_000, maxMinor: 500_000_000 } as const;

const currency = z.literal('KZT');

export const invoiceHeaders = z.strictObject({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1-255 visible ASCII characters')
    .meta({ description: 'A name of your own for this invoice, for good: sent again with the same amount, it answers the same invoice' }),
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

export const receivedResponse = z.object({ received: z.literal(true) });
