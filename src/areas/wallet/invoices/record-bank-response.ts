import { isDeepStrictEqual } from 'node:util';
import type { BankResponse } from '../../../platform/bank/bank.ts';
import type { CommandContext } from '../../../platform/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import { raiseIncident } from '../../reviews/index.ts';
import { walletAccount } from '../accounts.ts';
import type { Invoice } from '../entities.ts';
import { type LockedWallet, lockWallet } from '../ledger/lock-wallet.ts';
import { postTransaction } from '../ledger/post-transaction.ts';
import { invoiceNotifications } from '../notifications.ts';
import type { PaymentQuery } from './begin-payment-query.ts';
import { closePaymentQuery } from './close-payment-query.ts';
import { evaluateBankResponse, type MismatchField, type Verdict } from './evaluate-bank-response.ts';
import { lockInvoice } from './lock-invoice.ts';
import { isFinal, nextStatus, transition } from './states.ts';

/**
 * Keeps the bank's response where it is news: a query every minute must not write the same row every minute. The lock of the invoice
 * keeps two at once apart.
 */
export async function keepBankResponse(
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

/** The bank's words as far as the column holds them; they are evidence and are never compared with what was asked from here. */
function storable(text: string, length: number): string {
  return text.toWellFormed().replaceAll('\u0000', '').slice(0, length);
}

/**
 * When an invoice was paid: when the bank says so, as long as that can be. A payment before the invoice was made or after the present
 * is a wrong clock, and then it counts from when we heard of it.
 * @param said null when the bank does not say
 */
export function paymentInstant({ createdAt }: Pick<Invoice, 'createdAt'>, said: Date | null, now: Date): Date {
  return said !== null && said >= createdAt && said <= now ? said : now;
}

/**
 * Whether money came late (decisions.md §5): after its invoice had run out, by the bank's time and not by ours, since a bank that was
 * silent at the end takes nothing from who had paid; or after the bank itself had refused the payment.
 * @param paidAt as `paymentInstant` gives it
 */
export function isLatePayment({ status, expiresAt }: Pick<Invoice, 'status' | 'expiresAt'>, paidAt: Date): boolean {
  return status === 'failed' || paidAt >= expiresAt;
}

/** The bank's response to a payment status query. */
export interface ReceivedResponse extends PaymentQuery {
  response: BankResponse;
  /** When the bank says that it was paid, by the registry's clock; null when it does not say. */
  paidAt: Date | null;
}

/**
 * Takes the bank's response about an invoice into the record: the only way by which money comes into a wallet (decisions.md §5).
 * Money is credited once, whatever is said how often; a response that does not fit credits nothing and is raised as an
 * incident; late money is credited and flagged, and the bank's own time of payment decides what is late. An invoice that is paid or in mismatch stays as it is.
 * @param terminal ours at the bank
 * @returns the invoice as it then stands
 * @throws {DomainError} not_found
 */
export async function recordBankResponse(
  ctx: CommandContext,
  { invoice: asked, cause, response, paidAt }: ReceivedResponse,
  terminal: string,
): Promise<Invoice> {
  // Number, amount, currency and owner of an invoice never change, so they may be taken from before the lock.
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

/** One payment at the bank pays one invoice. Two at the same instant meet in the unique index, and the later one comes here again. */
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
