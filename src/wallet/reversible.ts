import type { CommandContext } from '../platform/context.ts';
import { definePoint } from '../platform/extensions.ts';
import type { LedgerTransaction } from './entities.ts';
import type { LedgerTransactionType } from './states.ts';

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
