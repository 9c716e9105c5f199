import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Invoice } from '../entities.ts';
import type { PaymentQuery } from './begin-payment-query.ts';
import { closePaymentQuery } from './close-payment-query.ts';
import { lockInvoice } from '../queries.ts';
import { isFinal } from './states.ts';

/**
 * Records that the bank did not respond to a query, and expires the invoice after its `expires_at`.
 * @throws {DomainError} not_found
 */
export async function recordBankTimeout(ctx: CommandContext, { invoice: { id }, cause }: PaymentQuery): Promise<Invoice> {
  const invoice = await lockInvoice(ctx, id);
  if (!isFinal(invoice.status)) await closePaymentQuery(ctx, invoice, cause, false);
  return invoice;
}
