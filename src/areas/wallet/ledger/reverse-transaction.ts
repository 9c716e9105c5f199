import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { definePoint } from '../../../platform/extensions.ts';
import type { LedgerTransaction } from '../entities.ts';
import type { LedgerTransactionType } from '../invoices/states.ts';
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
  const { transactionId } = input;
  const original = await ctx.db
    .selectFrom('ledger_transactions')
    .select(['reversalOf', 'applicationId', 'invoiceId'])
    .where('id', '=', transactionId)
    .executeTakeFirst();
  if (!original) throw new DomainError('not_found');
  if (original.reversalOf !== null) throw new DomainError('invalid_state', undefined, 'A reversal cannot be reversed.');
  const entries = await ctx.db
    .selectFrom('ledger_entries')
    .select(['account', 'amountMinor'])
    .where('transactionId', '=', transactionId)
    .orderBy('id')
    .execute();
  const { id } = await postTransaction(ctx, {
    type: input.type,
    reference: `reversal:${transactionId}`,
    legs: entries.map(({ account, amountMinor }) => ({ account, amountMinor: -amountMinor })),
    reversalOf: transactionId,
    reason: input.reason,
    ...(original.applicationId === null ? {} : { applicationId: original.applicationId }),
    ...(original.invoiceId === null ? {} : { invoiceId: original.invoiceId }),
  });
  return id;
}

/** A movement of money as the area above knows it that made it. */
export type BookedMovement = Readonly<Pick<LedgerTransaction, 'id' | 'applicationId' | 'invoiceId'>>;

/** A kind of movement on which a record of an area above stands: only that area undoes one, together with its record. */
export interface ReversibleMovement {
  type: LedgerTransactionType;
  /**
   * Takes the locks that its reversal needs until the transaction ends, those of the wallets that it moved among them: which more, only this area
   * knows, and wallets are locked in one order. Decides nothing yet.
   */
  hold(ctx: CommandContext, movement: BookedMovement): Promise<HeldMovement>;
}

export interface HeldMovement {
  /**
   * Reverses a movement that nobody has reversed before.
   * @returns id of the reversing transaction
   * @throws {DomainError} when the record does not allow it
   */
  reverse(reason: string): Promise<number>;
}

export const reversibleMovements = definePoint<ReversibleMovement>('movements of money on which a record stands');
