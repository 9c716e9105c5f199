import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import type { LedgerAccount } from './accounts.ts';
import { postTransaction } from './post-transaction.ts';

export interface Reversal {
  transactionId: number;
  /** Why, in words; shown in the ledger. */
  reason: string;
  type: 'application_refund' | 'reversal';
}

/**
 * Undoes a movement of money by its mirror image that names it (decisions.md §5). A movement is undone once: asked again,
 * the reversal that exists is returned and nothing moves.
 * @returns id of the reversing transaction
 * @throws {DomainError} not_found; invalid_state when the transaction is a reversal itself; insufficient_funds when the money is no longer there
 */
export async function reverseTransaction(ctx: CommandContext, input: Reversal): Promise<number> {
  const [original] = await ctx.em.execute<{ reversal_of: number | null; application_id: number | null; invoice_id: number | null }[]>(
    'select reversal_of, application_id, invoice_id from ledger_transactions where id = ?',
    [input.transactionId],
  );
  if (!original) throw new DomainError('not_found');
  if (original.reversal_of !== null) throw new DomainError('invalid_state', undefined, 'A reversal cannot be reversed.');
  const entries = await ctx.em.execute<{ account: LedgerAccount; amount_minor: string }[]>(
    'select account, amount_minor from ledger_entries where transaction_id = ? order by id',
    [input.transactionId],
  );
  const { id } = await postTransaction(ctx, {
    type: input.type,
    reference: `reversal:${input.transactionId}`,
    legs: entries.map((entry) => ({ account: entry.account, amountMinor: -Number(entry.amount_minor) })),
    reversalOf: input.transactionId,
    reason: input.reason,
    ...(original.application_id === null ? {} : { applicationId: original.application_id }),
    ...(original.invoice_id === null ? {} : { invoiceId: original.invoice_id }),
  });
  return id;
}
