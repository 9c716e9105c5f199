import { audit } from '../administration/audit.ts';
import { notify } from '../messages/index.ts';
import type { BankAnswer } from '../platform/bank/bank.ts';
import type { CommandContext } from '../platform/context.ts';
import { walletAccount } from './accounts.ts';
import type { Invoice } from './entities.ts';
import { judgeBankAnswer } from './judge-bank-answer.ts';
import type { MismatchField, Verdict } from './judge-bank-answer.ts';
import { lockInvoice } from './lock-invoice.ts';
import { lockWallet } from './lock-wallet.ts';
import type { LockedWallet } from './lock-wallet.ts';
import { closeQuestion } from './close-question.ts';
import { postTransaction } from './post-transaction.ts';
import { isFinal, isOpen } from './states.ts';
import { executePrepared, sendPrepared } from '../platform/database/prepared.ts';

/** The bank's word, and the invoice about which it was asked, as that stood then. */
export interface Heard {
  invoice: Readonly<Invoice>;
  answer: BankAnswer;
}

/**
 * Takes the bank's word about an invoice into the record: the only way by which money comes into a wallet (decisions.md §5).
 * Money is credited once, whatever is said how often; an answer that does not fit credits nothing and is raised as an
 * incident; late money is credited and flagged. An invoice that is paid or in mismatch stays as it is.
 * @param terminal ours at the bank
 * @returns the invoice as it then stands
 * @throws {DomainError} not_found
 */
export async function recordBankAnswer(ctx: CommandContext, { invoice: asked, answer }: Heard, terminal: string): Promise<Invoice> {
  // Number, amount, currency and owner of an invoice never change, so they may be taken from before the lock.
  const said = judgeBankAnswer(asked, terminal, answer);
  const held = said.kind === 'paid' ? [await lockWallet(ctx, asked.ownerId)] : [];
  const [invoice, verdict] = await Promise.all([lockInvoice(ctx, asked.id), refuseUsedReference(ctx, asked.id, said)]);
  if (isFinal(invoice.status)) return invoice;

  keepAnswer(ctx, invoice, answer, verdict);
  switch (verdict.kind) {
    case 'paid':
      await credit(ctx, invoice, { reference: verdict.reference, paidAt: answer.paidAt, held });
      break;
    case 'mismatch':
      await raiseMismatch(ctx, invoice, verdict.fields);
      break;
    case 'failed':
      if (isOpen(invoice.status)) fail(ctx, invoice);
      break;
    case 'pending':
      break;
  }
  closeQuestion(ctx, invoice, true);
  return invoice;
}

/** One payment at the bank pays one invoice. Two at the same instant meet in the unique index, and the later one comes here again. */
async function refuseUsedReference(ctx: CommandContext, invoiceId: number, verdict: Verdict): Promise<Verdict> {
  if (verdict.kind !== 'paid') return verdict;
  const used = await executePrepared<unknown>(ctx.em, 'select 1 from invoices where bank_reference = $1 and id <> $2', [
    verdict.reference,
    invoiceId,
  ]);
  return used.length > 0 ? { kind: 'mismatch', fields: ['reference'] } : verdict;
}

interface Payment {
  reference: string;
  /** The bank's instant, null when it names none. */
  paidAt: string | null;
  held: readonly LockedWallet[];
}

async function credit(ctx: CommandContext, invoice: Invoice, { reference, paidAt, held }: Payment): Promise<void> {
  const isLate = !isOpen(invoice.status) || paidAtOurClock(ctx, paidAt) >= invoice.expiresAt;
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
  invoice.status = 'paid';
  invoice.late = isLate;
  invoice.paidAt = ctx.now;
  invoice.bankReference = reference;
  const subject = { kind: 'invoice', id: invoice.id };
  if (isLate)
    await raiseIncident(ctx, 'late_payment', invoice, {
      amount_minor: invoice.amountMinor,
      bank_reference: reference,
      transaction_id: transactionId,
    });
  audit(ctx, 'invoice.paid', subject, { bank_reference: reference, transaction_id: transactionId, late: isLate });
  notify(ctx, invoice.ownerId, isLate ? 'invoice.paid_late' : 'invoice.paid', subject, {
    number: invoice.number,
    amount_minor: invoice.amountMinor,
  });
}

/** The bank knows real time only; in the sandbox its clock is taken to have moved along with ours. */
function paidAtOurClock(ctx: CommandContext, paidAt: string | null): Date {
  if (paidAt === null) return ctx.now;
  return new Date(Date.parse(paidAt) + ctx.now.getTime() - Date.now());
}

async function raiseMismatch(ctx: CommandContext, invoice: Invoice, fields: MismatchField[]): Promise<void> {
  invoice.status = 'mismatch';
  await raiseIncident(ctx, 'bank_mismatch', invoice, { fields });
  audit(ctx, 'invoice.mismatched', { kind: 'invoice', id: invoice.id }, { fields });
  notify(ctx, invoice.ownerId, 'invoice.mismatch', { kind: 'invoice', id: invoice.id }, { number: invoice.number });
}

function fail(ctx: CommandContext, invoice: Invoice): void {
  invoice.status = 'failed';
  audit(ctx, 'invoice.failed', { kind: 'invoice', id: invoice.id });
  notify(ctx, invoice.ownerId, 'invoice.failed', { kind: 'invoice', id: invoice.id }, { number: invoice.number });
}

async function raiseIncident(
  ctx: CommandContext,
  kind: 'bank_mismatch' | 'late_payment',
  invoice: Invoice,
  details: Record<string, unknown>,
): Promise<void> {
  await ctx.em.execute(
    `insert into incidents (kind, subject_kind, subject_id, details, at) values (?, 'invoice', ?, ?::jsonb, ?) on conflict do nothing`,
    [kind, String(invoice.id), JSON.stringify({ number: invoice.number, ...details }), ctx.now],
  );
}

/** Keeps what the bank said where it is news: a question every minute must not write the same row every minute. */
function keepAnswer(ctx: CommandContext, invoice: Invoice, answer: BankAnswer, verdict: Verdict): void {
  const reference = answer.reference === null ? null : storable(answer.reference, 100);
  sendPrepared(
    ctx.em,
    `insert into bank_answers (invoice_id, state, invoice_number, amount_minor, currency, terminal, reference, verdict, at)
     select $1::int, $2::text, $3::text, $4::bigint, $5::text, $6::text, $7::text, $8::text, $9::timestamptz
     where not exists (
       select from (select * from bank_answers where invoice_id = $1::int order by id desc limit 1) as last
       where last.state = $2::text and last.invoice_number = $3::text and last.amount_minor = $4::bigint and last.currency = $5::text
         and last.terminal = $6::text and last.reference is not distinct from $7::text and last.verdict = $8::text)`,
    [
      invoice.id,
      answer.state,
      storable(answer.invoiceNumber, 40),
      answer.amountMinor,
      storable(answer.currency, 10),
      storable(answer.terminal, 60),
      reference,
      verdict.kind,
      ctx.now,
    ],
  );
}

/** The bank's words as far as the column holds them; they are evidence and are never compared from here. */
function storable(text: string, length: number): string {
  return text.toWellFormed().replaceAll('\u0000', '').slice(0, length);
}
