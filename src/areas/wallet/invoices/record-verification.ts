import { DomainError } from '../../../errors.ts';
import type { BankResponse } from '../../../platform/bank/bank.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import type { Invoice } from '../entities.ts';
import { findInvoice } from '../queries.ts';

/**
 * Notes that the owner had the bank asked (service.md "reconcile status with the bank"); what it said has been recorded by then.
 * @param response null when the invoice was settled for good and there was nothing to ask
 * @returns the invoice as it stands
 * @throws {DomainError} not_found
 */
export async function recordVerification(ctx: CommandContext, id: number, response: BankResponse | null): Promise<Invoice> {
  const invoice = await findInvoice(ctx.db, id);
  if (!invoice) throw new DomainError('not_found');
  await audit(ctx, 'invoice.verified', { kind: 'invoice', id }, { bank_state: response?.state ?? null });
  return invoice;
}
