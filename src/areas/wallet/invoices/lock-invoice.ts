import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type Invoice, InvoiceEntity } from '../entities.ts';

/** Takes an invoice's row until the transaction ends; after its owner's wallet, where that is needed too. @throws {DomainError} not_found */
export async function lockInvoice(ctx: CommandContext, id: number): Promise<Locked<Invoice>> {
  const invoice = await lockForChange(ctx.em, InvoiceEntity, { id });
  if (!invoice) throw new DomainError('not_found');
  return invoice;
}
