import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type Invoice, InvoiceEntity } from '../entities.ts';

/** Locks an invoice until the transaction ends. Lock order: after the owner's wallet. @throws {DomainError} not_found */
export async function lockInvoice(ctx: CommandContext, id: number): Promise<Locked<Invoice>> {
  const invoice = await lockForChange(ctx.em, InvoiceEntity, { id });
  if (!invoice) throw new DomainError('not_found');
  return invoice;
}
