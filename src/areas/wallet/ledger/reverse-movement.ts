import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockActingAdministrator, requireNotErased } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import { resolveIncidentByMoney } from '../../reviews/index.ts';
import { ledgerNotifications } from '../notifications.ts';
import { findLedgerRow, type LedgerRow } from './list-ledger.ts';
import { lockWallets, movedWallet, movedWallets } from './lock-wallet.ts';
import { type HeldMovement, reverseTransaction, reversibleMovements } from './reverse-transaction.ts';

interface WantedReversal {
  /** Id of the ledger transaction to reverse. */
  id: number;
  /** Shown in the ledger and in the owner's notification. */
  reason: string;
  /** The incident that the reversal resolves; null for none. */
  incidentId: number | null;
}

/**
 * Reverses a ledger transaction for an administrator (WAL-11). Idempotent: an existing reversal, also one made by the
 * transaction's record, is returned. A transaction of another area's record is reversed by that area (`reversibleMovements`).
 * @returns id of the reversing transaction; `isNew` false when it existed before
 * @throws {DomainError} not_found; invalid_state when it is a reversal itself, its record does not allow it, or it would credit an erased
 *   account; insufficient_funds `{balance_minor, amount_minor}` when the money is no longer there; validation_failed, invalid_state because of the incident; forbidden
 */
export async function reverseMovement(
  ctx: CommandContext,
  { id, reason, incidentId }: WantedReversal,
): Promise<{ transactionId: number; isNew: boolean }> {
  await lockActingAdministrator(ctx);
  const movement = await findLedgerRow(ctx.db, id);
  if (!movement) throw new DomainError('not_found');
  if (movement.reversalOf !== null) throw new DomainError('invalid_state', undefined, 'A reversal cannot be reversed.');
  // Every reversal of this transaction locks its wallets first, so the result of the lookup cannot change after the locks.
  const held = await hold(ctx, movement);
  const before = await findReversal(ctx, id);
  const transactionId = before ?? (await reverse(ctx, movement, held, reason));
  if (incidentId !== null) await resolveIncidentByMoney(ctx, incidentId, { reason, transactionId });
  return { transactionId, isNew: before === null };
}

async function findReversal({ db }: CommandContext, id: number): Promise<number | null> {
  const found = await db.selectFrom('ledger_transactions').select('id').where('reversalOf', '=', id).executeTakeFirst();
  return found?.id ?? null;
}

/** @returns null when no other area's record owns the transaction */
async function hold(ctx: CommandContext, movement: LedgerRow): Promise<HeldMovement | null> {
  const owning = ctx.extensions.of(reversibleMovements).find(({ type }) => type === movement.type);
  if (owning) return owning.hold(ctx, movement);
  await lockWallets(ctx, movedWallets(movement.entries));
  return null;
}

async function reverse(ctx: CommandContext, movement: LedgerRow, held: HeldMovement | null, reason: string): Promise<number> {
  const { id, type, invoiceId, entries } = movement;
  const { userId, amountMinor } = movedWallet(entries);
  if (userId !== null && amountMinor < 0) await requireNotErased(ctx, userId);
  const transactionId = held ? await held.reverse(reason) : await reverseTransaction(ctx, { transactionId: id, reason, type: 'reversal' });
  const subject = { kind: 'ledger', id };
  await audit(ctx, 'ledger.reversed', subject, { type, transaction_id: transactionId });
  if (invoiceId !== null) await audit(ctx, 'invoice.reversed', { kind: 'invoice', id: invoiceId }, { transaction_id: transactionId });
  // An area that reverses its own transaction notifies the owner itself.
  if (!held) await notifyOwner(ctx, movement, reason);
  return transactionId;
}

async function notifyOwner(ctx: CommandContext, { id, entries }: LedgerRow, reason: string): Promise<void> {
  const { userId, amountMinor } = movedWallet(entries);
  if (userId === null) return;
  const direction = amountMinor > 0 ? 'debit' : 'credit';
  const facts = { amount_minor: Math.abs(amountMinor), direction, reason };
  await notify(ctx, userId, ledgerNotifications['ledger.reversed'], { kind: 'ledger', id }, facts);
}
