import type { CommandContext } from '../../../platform/context.ts';
import type { Invoice } from '../entities.ts';
import type { PaymentQuery } from './begin-payment-query.ts';
import { closePaymentQuery } from './close-payment-query.ts';
import { lockInvoice } from './lock-invoice.ts';
import { isFinal } from './states.ts';

/**
 * Notes that the bank was asked and did not respond, and expires the invoice where its time is up.
 * @returns the invoice as it then stands
 * @throws {DomainError} not_found
 */
export async function recordBankTimeout(ctx: CommandContext, { invoice: { id }, cause }: PaymentQuery): Promise<Invoice> {
  const invoice = await lockInvoice(ctx, id);
  if (!isFinal(invoice.status)) await closePaymentQuery(ctx, invoice, cause, false);
  return invoice;
}
