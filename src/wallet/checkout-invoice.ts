import { audit } from '../administration/audit.ts';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { firstQuestionAt } from './ask-schedule.ts';
import type { Invoice } from './entities.ts';
import { lockInvoice } from './lock-invoice.ts';
import { statusAt } from './states.ts';

/**
 * Gives out the bank's form (decisions.md §5): from now on the bank is asked by itself. A form can be had again while the
 * invoice is open; the questions then begin anew at short intervals, since the payer is about to pay.
 * @returns the invoice as it then stands
 * @throws {DomainError} not_found; invoice_not_open `{status}`
 */
export async function checkoutInvoice(ctx: CommandContext, invoiceId: number): Promise<Invoice> {
  const invoice = await lockInvoice(ctx, invoiceId);
  const status = statusAt(invoice, ctx.now);
  if (status !== 'created' && status !== 'pending') throw new DomainError('invoice_not_open', { status });
  invoice.status = 'pending';
  invoice.asked = 0;
  invoice.nextAskAt = firstQuestionAt(invoice.expiresAt, ctx.now);
  invoice.updatedAt = ctx.now;
  audit(ctx, 'invoice.checked_out', { kind: 'invoice', id: invoiceId }, { number: invoice.number });
  return invoice;
}
