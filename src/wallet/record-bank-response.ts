import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import type { BankResponse } from '../platform/bank/bank.ts';
import type { CommandContext } from '../platform/context.ts';
import type { Locked } from '../platform/database/lock.ts';
import { raiseIncident } from '../reviews/index.ts';
import { walletAccount } from './accounts.ts';
import type { PaymentQuery } from './begin-payment-query.ts';
import { closePaymentQuery } from './close-payment-query.ts';
import type { Invoice } from './entities.ts';
import { evaluateBankResponse } from './evaluate-bank-response.ts';
import type { MismatchField, Verdict } from './evaluate-bank-response.ts';
import { keepBankResponse } from './keep-bank-response.ts';
import { lockInvoice } from './lock-invoice.ts';
import { lockWallet } from './lock-wallet.ts';
import type { LockedWallet } from './lock-wallet.ts';
import { isLatePayment, paymentInstant } from './late-payment.ts';
import { invoiceNotifications } from './notifications.ts';
import { postTransaction } from './post-transaction.ts';
import { isFinal, nextStatus, transition } from './states.ts';

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
