import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { lockForChange } from '../platform/database/lock.ts';
import type { Locked } from '../platform/database/lock.ts';
import { InvoiceEntity } from './entities.ts';
import type { Invoice } from './entities.ts';

/** Takes an invoice's row until the transaction ends; after its owner's wallet, where that is needed too. @throws {DomainError} not_found */
export async function lockInvoice(ctx: CommandContext, id: number): Promise<Locked<Invoice>> {
  const invoice = await lockForChange(ctx.em, InvoiceEntity, { id });
  if (!invoice) throw new DomainError('not_found');
  return invoice;
}
