import { DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext } from '../../../platform/commands/context.ts';
import { type LedgerAccount, walletOwner } from '../entities.ts';
import type { LedgerTransactionType } from '../invoices/states.ts';
import { type LockedWallet, lockWallets } from './lock-wallet.ts';

/** One leg, in tiyn: positive adds to the account, negative takes from it. */
export interface Leg {
  account: LedgerAccount;
  amountMinor: number;
}

interface Posting {
  type: LedgerTransactionType;
  /** Business key, at most 100 characters: the same reference is booked once. */
  reference: string;
  legs: readonly Leg[];
  /** Its wallets that the database transaction has locked already. */
  held?: readonly LockedWallet[];
  applicationId?: number;
  invoiceId?: number;
  /** Id of the reversed transaction. */
  reversalOf?: number;
  reason?: string;
  /** `late`: late money of an invoice (WAL-8). */
  flags?: readonly 'late'[];
}

export interface Posted {
  id: number;
  /** False when the reference was booked before and nothing moved. */
  isNew: boolean;
}

/**
 * Books one ledger transaction (WAL-1, WAL-2): the only writer of the ledger and of wallet balances. Locks the wallets it moves,
 * in the order of their owners' ids.
 * @throws {DomainError} insufficient_funds `{balance_minor, amount_minor}` when a wallet would go below zero
 * @throws {RangeError} when the legs are invalid: fewer than two, not whole tiyn, zero, or a sum other than zero
 * @throws {Error} when the reference was booked with other legs
 */
export async function postTransaction(ctx: CommandContext, posting: Posting): Promise<Posted> {
  assertBalanced(posting.legs);
  const changes = walletChanges(posting.legs);
  const wallets = await lockWallets(ctx, changes.keys(), posting.held);
  const id = await insertTransaction(ctx, posting);
  if (id === null) return { id: await bookedBefore(ctx, posting), isNew: false };
  for (const wallet of wallets) await changeBalance(ctx, wallet, changes.get(wallet.userId) ?? 0);
  await ctx.db
    .insertInto('ledger_entries')
    .values(posting.legs.map(({ account, amountMinor }) => ({ transactionId: id, account, amountMinor, currency: 'KZT' })))
    .execute();
  return { id, isNew: true };
}

function assertBalanced(legs: readonly Leg[]): void {
  if (legs.length < 2) throw new RangeError('a ledger transaction needs at least two legs');
  if (legs.some(({ amountMinor }) => !Number.isSafeInteger(amountMinor) || amountMinor === 0))
    throw new RangeError('a leg needs a whole number of tiyn other than zero');
  if (legs.reduce((sum, leg) => sum + leg.amountMinor, 0) !== 0) throw new RangeError('the legs of a ledger transaction must sum to zero');
}

function walletChanges(legs: readonly Leg[]): Map<number, number> {
  const changes = new Map<number, number>();
  for (const { account, amountMinor } of legs) {
    const owner = walletOwner(account);
    if (owner !== null) changes.set(owner, (changes.get(owner) ?? 0) + amountMinor);
  }
  return changes;
}

/** @returns the new transaction's id; null when the reference is taken. Waits for a concurrent booking of the same reference. */
async function insertTransaction(ctx: CommandContext, posting: Posting): Promise<number | null> {
  const fresh = await ctx.db
    .insertInto('ledger_transactions')
    .values({
      type: posting.type,
      reference: posting.reference,
      reversalOf: posting.reversalOf ?? null,
      applicationId: posting.applicationId ?? null,
      invoiceId: posting.invoiceId ?? null,
      reason: posting.reason ?? null,
      flags: [...(posting.flags ?? [])],
      actorId: accountableUserId(ctx.actor),
      requestId: ctx.requestId,
      at: ctx.now,
    })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('id')
    .executeTakeFirst();
  return fresh?.id ?? null;
}

async function bookedBefore(ctx: CommandContext, posting: Posting): Promise<number> {
  const entries = await ctx.db
    .selectFrom('ledger_entries as e')
    .innerJoin('ledger_transactions as t', 't.id', 'e.transactionId')
    .select(['e.transactionId', 'e.account', 'e.amountMinor'])
    .where('t.reference', '=', posting.reference)
    .execute();
  const booked = entries.map(legText).sort();
  const wanted = posting.legs.map(legText).sort();
  const [first] = entries;
  if (!first || booked.join() !== wanted.join()) throw new Error(`the ledger reference ${posting.reference} was booked with other legs`);
  return first.transactionId;
}

function legText({ account, amountMinor }: { account: string; amountMinor: number }): string {
  return `${account} ${amountMinor}`;
}

/** Adds to the balance in SQL, so that the database's check holds even after a stale read (WAL-2). */
async function changeBalance(ctx: CommandContext, wallet: LockedWallet, changeMinor: number): Promise<void> {
  if (wallet.balanceMinor + changeMinor < 0) {
    throw new DomainError('insufficient_funds', { balance_minor: wallet.balanceMinor, amount_minor: -changeMinor });
  }
  wallet.balanceMinor += changeMinor;
  await ctx.db
    .updateTable('wallets')
    .set((eb) => ({ balanceMinor: eb('balanceMinor', '+', changeMinor) }))
    .where('userId', '=', wallet.userId)
    .execute();
}
