import type { CommandContext } from '../../../platform/commands/context.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { lockInvoice } from '../queries.ts';
import { hintedQueryAt } from './payment-query-schedule.ts';
import { invoiceProcess } from './process.ts';

/**
 * Records a callback as a hint and plans a query: now, or at the end of the pause (WAL-5, WAL-13).
 *
 * The hint is stored in the row, so it is not lost with a message. A hint that changes nothing writes nothing and wakes no
 * process.
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
