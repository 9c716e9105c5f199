import type { CommandContext } from '../../../platform/context.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { lockInvoice } from './lock-invoice.ts';
import { hintedQueryAt } from './payment-query-schedule.ts';
import { invoiceProcess } from './process.ts';

/**
 * Notes that somebody who says to be the bank says that something happened to an invoice (decisions.md §5): the bank is asked now, or
 * when the pause after the last question is over. It is a fact of the record, so it is not lost with a message; one that changes
 * nothing writes nothing and wakes nobody.
 * @throws {DomainError} not_found
 */
export async function noteBankHint(ctx: CommandContext, id: number): Promise<void> {
  const invoice = await lockInvoice(ctx, id);
  const at = hintedQueryAt(invoice, ctx.now);
  if (at === null) return;
  invoice.hintedAt = ctx.now;
  invoice.nextAskAt = at;
  invoice.updatedAt = ctx.now;
  ctx.wake(refOf(invoiceProcess, id));
}
