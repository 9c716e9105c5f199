import { audit } from '../administration/audit.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { nextQuestionAt } from './ask-schedule.ts';
import type { Invoice } from './entities.ts';
import { lockInvoice } from './lock-invoice.ts';
import { isFinal, isOpen } from './states.ts';

/**
 * Ends a question to the bank: an invoice whose time is up and that this question has not settled expires now, never before
 * the bank was asked once more; then the next question is planned. A question out of turn (a hint, the owner's wish) that was
 * answered leaves the plan as it was. The caller holds the invoice's row.
 */
export function closeQuestion(ctx: CommandContext, invoice: Invoice, isAnswered: boolean): void {
  const { now } = ctx;
  const isPlanned = invoice.nextAskAt !== null && invoice.nextAskAt <= now;
  if (isOpen(invoice.status) && now >= invoice.expiresAt) expire(ctx, invoice);
  const keepsPlan = isAnswered && !isPlanned && isOpen(invoice.status);
  if (!keepsPlan) {
    invoice.asked += 1;
    invoice.nextAskAt = nextQuestionAt(invoice, now, isAnswered);
  }
  invoice.lastAskedAt = now;
  invoice.updatedAt = now;
}

/** The bank was asked and did not answer: notes it, and expires the invoice where its time is up. @returns the invoice as it then stands */
export async function recordBankSilence(ctx: CommandContext, invoiceId: number): Promise<Invoice> {
  const invoice = await lockInvoice(ctx, invoiceId);
  if (!isFinal(invoice.status)) closeQuestion(ctx, invoice, false);
  return invoice;
}

function expire(ctx: CommandContext, invoice: Invoice): void {
  invoice.status = 'expired';
  audit(ctx, 'invoice.expired', { kind: 'invoice', id: invoice.id });
  notify(ctx, invoice.ownerId, 'invoice.expired', { kind: 'invoice', id: invoice.id }, { number: invoice.number });
}
