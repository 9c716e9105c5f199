import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { Invoice } from '../entities.ts';
import { lockInvoice } from '../queries.ts';
import { firstPaymentQueryAt } from './payment-query-schedule.ts';
import { isOpen, statusAt, transition } from './states.ts';

/**
 * Checks out an invoice: the bank's form is given out and payment queries start (WAL-7). A repeated checkout restarts the short
 * intervals, since the payer is about to pay.
 * @throws {DomainError} not_found; invoice_not_open `{status}`
 */
export async function checkoutInvoice(ctx: CommandContext, id: number): Promise<Invoice> {
  const invoice = await lockInvoice(ctx, id);
  const status = statusAt(invoice, ctx.now);
  if (!isOpen(status)) throw new DomainError('invoice_not_open', { status });
  transition(invoice, 'checkout');
  invoice.asked = 0;
  invoice.nextAskAt = firstPaymentQueryAt(invoice.expiresAt, ctx.now);
  invoice.updatedAt = ctx.now;
  await audit(ctx, 'invoice.checked_out', { kind: 'invoice', id }, { number: invoice.number });
  return invoice;
}
