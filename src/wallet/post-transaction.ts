import { DomainError } from '../errors.ts';
import { accountableUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { walletOwner } from './accounts.ts';
import type { LedgerAccount } from './accounts.ts';
import { lockWallets } from './lock-wallet.ts';
import type { LockedWallet } from './lock-wallet.ts';
import type { LedgerTransactionType } from './states.ts';
import { executePrepared, sendPrepared } from '../platform/database/prepared.ts';

/** One leg, in tiyn: positive adds to the account, negative takes from it. */
export interface Leg {
  account: LedgerAccount;
  amountMinor: number;
}

export interface Posting {
  type: LedgerTransactionType;
  /** The movement's business key, at most 100 characters: the same reference is booked once. */
  reference: string;
  legs: readonly Leg[];
  /** Those of its wallets that the transaction holds already. */
  held?: readonly LockedWallet[];
  applicationId?: number;
  invoiceId?: number;
  /** Id of the transaction that this one undoes. */
  reversalOf?: number;
  reason?: string;
  /** `late`: money that came after its invoice had run out. */
  flags?: readonly 'late'[];
}

export interface Posted {
  id: number;
  /** False when the reference had been booked before; nothing moved then. */
  isNew: boolean;
}

/**
 * Books one movement of money: the only writer of the ledger and of wallet balances (decisions.md §5). Locks the wallets it
 * moves, in the order of their owners' ids.
 * @throws {DomainError} insufficient_funds `{balance_minor, amount_minor}` when a wallet would go below zero
 * @throws {RangeError} when the legs are no movement: fewer than two, not whole tiyn, a sum other than zero
 * @throws {Error} when the reference was booked with other legs: two movements were given one name
 */
export async function postTransaction(ctx: CommandContext, posting: Posting): Promise<Posted> {
  assertBalanced(posting.legs);
  const changes = walletChanges(posting.legs);
  const wallets = await lockWallets(ctx, changes.keys(), posting.held);
  const fresh = await insertTransaction(ctx, posting);
  if (fresh === null) return { id: await bookedBefore(ctx, posting), isNew: false };
  for (const wallet of wallets) changeBalance(ctx, wallet, changes.get(wallet.userId) ?? 0);
  sendPrepared(
    ctx.em,
    `insert into ledger_entries (transaction_id, account, amount_minor, currency)
     select $1::int, leg.account, leg.amount_minor, 'KZT' from jsonb_to_recordset($2::jsonb) as leg (account text, amount_minor bigint)`,
    [fresh, JSON.stringify(posting.legs.map((leg) => ({ account: leg.account, amount_minor: leg.amountMinor })))],
  );
  return { id: fresh, isNew: true };
}

function assertBalanced(legs: readonly Leg[]): void {
  if (legs.length < 2) throw new RangeError('a movement has at least two legs');
  if (legs.some(({ amountMinor }) => !Number.isSafeInteger(amountMinor) || amountMinor === 0))
    throw new RangeError('a leg moves a whole number of tiyn other than zero');
  if (legs.reduce((sum, leg) => sum + leg.amountMinor, 0) !== 0) throw new RangeError('the legs of a movement sum to zero');
}

function walletChanges(legs: readonly Leg[]): Map<number, number> {
  const changes = new Map<number, number>();
  for (const { account, amountMinor } of legs) {
    const owner = walletOwner(account);
    if (owner !== null) changes.set(owner, (changes.get(owner) ?? 0) + amountMinor);
  }
  return changes;
}

/** @returns the new transaction's id; null when the reference is taken (a concurrent booking of it is waited for) */
async function insertTransaction(ctx: CommandContext, posting: Posting): Promise<number | null> {
  const [row] = await executePrepared<{ id: number }>(
    ctx.em,
    `insert into ledger_transactions (type, reference, reversal_of, application_id, invoice_id, reason, flags, actor_id, request_id, at)
     values ($1, $2, $3, $4, $5, $6, string_to_array($7, ','), $8, $9, $10) on conflict (reference) do nothing returning id`,
    [
      posting.type,
      posting.reference,
      posting.reversalOf ?? null,
      posting.applicationId ?? null,
      posting.invoiceId ?? null,
      posting.reason ?? null,
      (posting.flags ?? []).join(','),
      accountableUserId(ctx.actor),
      ctx.requestId,
      ctx.now,
    ],
  );
  return row?.id ?? null;
}

async function bookedBefore(ctx: CommandContext, posting: Posting): Promise<number> {
  const entries = await ctx.em.execute<{ transaction_id: number; account: string; amount_minor: string }[]>(
    `select e.transaction_id, e.account, e.amount_minor from ledger_entries e
     join ledger_transactions t on t.id = e.transaction_id where t.reference = ?`,
    [posting.reference],
  );
  const booked = entries.map((entry) => `${entry.account} ${entry.amount_minor}`).sort();
  const wanted = posting.legs.map((leg) => `${leg.account} ${leg.amountMinor}`).sort();
  const [first] = entries;
  if (!first || booked.join() !== wanted.join()) throw new Error(`the ledger reference ${posting.reference} was booked with other legs`);
  return first.transaction_id;
}

function changeBalance(ctx: CommandContext, wallet: LockedWallet, changeMinor: number): void {
  if (wallet.balanceMinor + changeMinor < 0) {
    throw new DomainError('insufficient_funds', { balance_minor: wallet.balanceMinor, amount_minor: -changeMinor });
  }
  wallet.balanceMinor += changeMinor;
  sendPrepared(ctx.em, 'update wallets set balance_minor = balance_minor + $1 where user_id = $2', [changeMinor, wallet.userId]);
}
