import { isDeepStrictEqual } from 'node:util';
import type { BankResponse } from '../../../platform/bank/bank.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import { raiseIncident } from '../../reviews/index.ts';
import { type Invoice, walletAccount } from '../entities.ts';
import { type LockedWallet, lockWallet } from '../ledger/lock-wallet.ts';
import { postTransaction } from '../ledger/post-transaction.ts';
import { invoiceNotifications } from '../notifications.ts';
import { lockInvoice } from '../queries.ts';
import type { PaymentQuery } from './begin-payment-query.ts';
import { closePaymentQuery } from './close-payment-query.ts';
import { isFinal, nextStatus, transition } from './states.ts';

/** Immutable terms of an invoice, with which a response is compared. */
interface InvoiceTerms extends Pick<Invoice, 'number' | 'amountMinor'> {
  currency: string;
}

type MismatchField = 'invoice' | 'amount' | 'currency' | 'terminal' | 'reference';

export type Verdict =
  /** Neither paid nor refused yet. */
  | { kind: 'pending' }
  | { kind: 'failed' }
  /** Paid; invoice, amount, currency and terminal match. */
  | { kind: 'paid'; reference: string }
  /** Paid or refused, but the response does not match the invoice. */
  | { kind: 'mismatch'; fields: MismatchField[] };

/**
 * Compares the bank's response with the invoice (WAL-5, WAL-6). A payment without a bank reference cannot be traced, so it is a
 * mismatch; so is a refusal of another invoice.
 * @param terminal the configured terminal
 */
export function evaluateBankResponse(invoice: InvoiceTerms, terminal: string, response: BankResponse): Verdict {
  if (response.state === 'pending') return { kind: 'pending' };
  const fields: MismatchField[] = [];
  if (response.invoiceNumber !== invoice.number) fields.push('invoice');
  if (response.amountMinor !== invoice.amountMinor) fields.push('amount');
  if (response.currency !== invoice.currency) fields.push('currency');
  if (response.terminal !== terminal) fields.push('terminal');
  if (response.state === 'failed') return fields.length > 0 ? { kind: 'mismatch', fields } : { kind: 'failed' };
  const reference = response.reference !== null && isReference(response.reference) ? response.reference : null;
  if (reference === null) fields.push('reference');
  return reference === null || fields.length > 0 ? { kind: 'mismatch', fields } : { kind: 'paid', reference };
}

/** Whether a text can be stored as a bank reference: one word of visible characters. */
function isReference(text: string): boolean {
  return /^[\x21-\x7e]{1,100}$/.test(text);
}

/** Stores the bank's response unless it equals the last stored one. The invoice's lock serializes concurrent calls. */
async function keepBankResponse(
  ctx: CommandContext,
  invoice: Locked<Invoice>,
  response: BankResponse,
  verdict: Verdict['kind'],
): Promise<void> {
  const said = {
    state: response.state,
    invoiceNumber: storable(response.invoiceNumber, 40),
    amountMinor: response.amountMinor,
    currency: storable(response.currency, 10),
    terminal: storable(response.terminal, 60),
    reference: response.reference === null ? null : storable(response.reference, 100),
    verdict,
  };
  const last = await ctx.db
    .selectFrom('bank_answers')
    .select(['state', 'invoiceNumber', 'amountMinor', 'currency', 'terminal', 'reference', 'verdict'])
    .where('invoiceId', '=', invoice.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last && isDeepStrictEqual(last, said)) return;
  await ctx.db
    .insertInto('bank_answers')
    .values({ invoiceId: invoice.id, ...said, at: ctx.now })
    .execute();
}

/** Cuts the bank's text to the column's length. The stored text is evidence only: comparisons use the full response. */
function storable(text: string, length: number): string {
  return text.toWellFormed().replaceAll('\u0000', '').slice(0, length);
}

/**
 * Determines the time of payment (WAL-8): the bank's time, unless it lies before the invoice's creation or in the future, which
 * indicates a wrong clock.
 * @param said the bank's time of payment; null when the response has none
 */
export function paymentInstant({ createdAt }: Pick<Invoice, 'createdAt'>, said: Date | null, now: Date): Date {
  return said !== null && said >= createdAt && said <= now ? said : now;
}

/**
 * Whether a payment is late (WAL-8): after `expires_at`, by the bank's time, so that an outage of the bank does not make a
 * payment late; or after the bank had refused it.
 * @param paidAt result of `paymentInstant`
 */
export function isLatePayment({ status, expiresAt }: Pick<Invoice, 'status' | 'expiresAt'>, paidAt: Date): boolean {
  return status === 'failed' || paidAt >= expiresAt;
}

/** The bank's response to a payment status query. */
export interface ReceivedResponse extends PaymentQuery {
  response: BankResponse;
  /** The bank's time of payment, by the registry's clock; null when the response has none. */
  paidAt: Date | null;
}

/**
 * Records the bank's response about an invoice: the only way to credit a bank payment.
 *
 * Credits once (WAL-9), credits late money and flags it (WAL-8), and raises a mismatch as an incident (WAL-6). A paid or
 * mismatched invoice stays as it is.
 * @param terminal the configured terminal
 * @throws {DomainError} not_found
 */
export async function recordBankResponse(
  ctx: CommandContext,
  { invoice: asked, cause, response, paidAt }: ReceivedResponse,
  terminal: string,
): Promise<Invoice> {
  // Number, amount, currency and owner never change, so the unlocked read is safe.
  const evaluated = evaluateBankResponse(asked, terminal, response);
  const held = evaluated.kind === 'paid' ? [await lockWallet(ctx, asked.ownerId)] : [];
  const invoice = await lockInvoice(ctx, asked.id);
  if (isFinal(invoice.status)) return invoice;

  const verdict = await refuseUsedReference(ctx, invoice.id, evaluated);
  await keepBankResponse(ctx, invoice, response, verdict.kind);
  switch (verdict.kind) {
    case 'paid':
      await credit(ctx, invoice, { reference: verdict.reference, paidAt, held });
      break;
    case 'mismatch':
      await mismatch(ctx, invoice, verdict.fields);
      break;
    case 'failed':
      if (nextStatus(invoice.status, 'fail') !== null) await fail(ctx, invoice);
      break;
    case 'pending':
      break;
  }
  await closePaymentQuery(ctx, invoice, cause, true);
  return invoice;
}

/** Turns a bank reference of another invoice into a mismatch (WAL-6). Of two concurrent ones the unique index makes one retry. */
async function refuseUsedReference(ctx: CommandContext, invoiceId: number, verdict: Verdict): Promise<Verdict> {
  if (verdict.kind !== 'paid') return verdict;
  const other = await ctx.db
    .selectFrom('invoices')
    .select('id')
    .where('bankReference', '=', verdict.reference)
    .where('id', '<>', invoiceId)
    .executeTakeFirst();
  return other ? { kind: 'mismatch', fields: ['reference'] } : verdict;
}

interface Payment {
  reference: string;
  paidAt: Date | null;
  held: readonly LockedWallet[];
}

async function credit(ctx: CommandContext, invoice: Locked<Invoice>, { reference, paidAt, held }: Payment): Promise<void> {
  const paid = paymentInstant(invoice, paidAt, ctx.now);
  const isLate = isLatePayment(invoice, paid);
  const { id: transactionId } = await postTransaction(ctx, {
    type: 'invoice_payment',
    reference: `invoice:${invoice.id}:payment`,
    legs: [
      { account: walletAccount(invoice.ownerId), amountMinor: invoice.amountMinor },
      { account: 'bank:clearing', amountMinor: -invoice.amountMinor },
    ],
    held,
    invoiceId: invoice.id,
    flags: isLate ? ['late'] : [],
  });
  transition(invoice, 'pay');
  invoice.late = isLate;
  invoice.paidAt = paid;
  invoice.bankReference = reference;
  const subject = { kind: 'invoice', id: invoice.id };
  const booked = { bank_reference: reference, transaction_id: transactionId };
  const { number, amountMinor } = invoice;
  if (isLate) await raiseIncident(ctx, 'late_payment', subject, { number, amount_minor: amountMinor, ...booked });
  await audit(ctx, 'invoice.paid', subject, { ...booked, late: isLate });
  await notify(ctx, invoice.ownerId, invoiceNotifications[isLate ? 'invoice.paid_late' : 'invoice.paid'], subject, {
    number,
    amount_minor: amountMinor,
  });
}

async function mismatch(ctx: CommandContext, invoice: Locked<Invoice>, fields: MismatchField[]): Promise<void> {
  transition(invoice, 'mismatch');
  const subject = { kind: 'invoice', id: invoice.id };
  await raiseIncident(ctx, 'bank_mismatch', subject, { number: invoice.number, fields });
  await audit(ctx, 'invoice.mismatched', subject, { fields });
  await notify(ctx, invoice.ownerId, invoiceNotifications['invoice.mismatch'], subject, { number: invoice.number });
}

async function fail(ctx: CommandContext, invoice: Locked<Invoice>): Promise<void> {
  transition(invoice, 'fail');
  const subject = { kind: 'invoice', id: invoice.id };
  await audit(ctx, 'invoice.failed', subject);
  await notify(ctx, invoice.ownerId, invoiceNotifications['invoice.failed'], subject, { number: invoice.number });
}
