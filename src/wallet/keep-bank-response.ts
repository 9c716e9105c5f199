import { isDeepStrictEqual } from 'node:util';
import type { BankResponse } from '../platform/bank/bank.ts';
import type { CommandContext } from '../platform/context.ts';
import type { Locked } from '../platform/database/lock.ts';
import type { Invoice } from './entities.ts';
import type { Verdict } from './evaluate-bank-response.ts';

/**
 * Keeps the bank's response where it is news: a query every minute must not write the same row every minute. The lock of the invoice
 * keeps two at once apart.
 */
export async function keepBankResponse(
  ctx: CommandContext,
  invoice: Locked<Invoice>,
  response: BankResponse,
  verdict: Verdict['kind'],
): Promise<void> {
  const said = {
    state: response.state,
    invoiceNumber: storable(response.invoiceNumber, 40),
    amountMinor: response.amountMinor,
    currency: storable(response.currency, 10),
    terminal: storable(response.terminal, 60),
    reference: response.reference === null ? null : storable(response.reference, 100),
    verdict,
  };
  const last = await ctx.db
    .selectFrom('bank_answers')
    .select(['state', 'invoiceNumber', 'amountMinor', 'currency', 'terminal', 'reference', 'verdict'])
    .where('invoiceId', '=', invoice.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last && isDeepStrictEqual(last, said)) return;
  await ctx.db
    .insertInto('bank_answers')
    .values({ invoiceId: invoice.id, ...said, at: ctx.now })
    .execute();
}

/** The bank's words as far as the column holds them; they are evidence and are never compared with what was asked from here. */
function storable(text: string, length: number): string {
  return text.toWellFormed().replaceAll('\u0000', '').slice(0, length);
}
