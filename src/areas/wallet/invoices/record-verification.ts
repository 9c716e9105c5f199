import { DomainError } from '../../../errors.ts';
import type { BankResponse } from '../../../platform/bank/bank.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { Invoice } from '../entities.ts';
import { findInvoice } from '../queries.ts';

/**
 * Writes the audit event of a verification, after the bank's response was recorded.
 * @param response null when the invoice was final and the bank was not asked
 * @throws {DomainError} not_found
 */
export async function recordVerification(ctx: CommandContext, id: number, response: BankResponse | null): Promise<Invoice> {
  const invoice = await findInvoice(ctx.db, id);
  if (!invoice) throw new DomainError('not_found');
  await audit(ctx, 'invoice.verified', { kind: 'invoice', id }, { bank_state: response?.state ?? null });
  return invoice;
}
