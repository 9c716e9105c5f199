import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { definePoint } from '../../../platform/extensions.ts';
import type { LedgerTransaction } from '../entities.ts';
import type { LedgerTransactionType } from '../invoices/states.ts';
import { postTransaction } from './post-transaction.ts';

interface Reversal {
  transactionId: number;
  /** Shown in the ledger. */
  reason: string;
  type: 'application_refund' | 'reversal';
}

/**
 * Reverses a ledger transaction by a new one with opposite legs (WAL-1, WAL-11). Idempotent: an existing reversal is returned and
 * nothing moves.
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

/** A ledger transaction as its owning area needs it. */
type BookedMovement = Readonly<Pick<LedgerTransaction, 'id' | 'applicationId' | 'invoiceId'>>;

/** A type of transaction owned by another area's record: only that area reverses it, together with the record. */
export interface ReversibleMovement {
  type: LedgerTransactionType;
  /**
   * Takes all locks that the reversal needs, the moved wallets included, until the transaction ends. The area locks its own
   * rows in its lock order. Decides nothing yet.
   */
  hold(ctx: CommandContext, movement: BookedMovement): Promise<HeldMovement>;
}

export interface HeldMovement {
  /**
   * Reverses a transaction that was not reversed before.
   * @returns id of the reversing transaction
   * @throws {DomainError} when the record does not allow it
   */
  reverse(reason: string): Promise<number>;
}

export const reversibleMovements = definePoint<ReversibleMovement>('reversible ledger transactions of other areas');
