import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Wallet, walletOwner } from '../entities.ts';

/** Opens an empty wallet in the transaction that opens the account. Idempotent. */
export async function openWallet(ctx: CommandContext, userId: number): Promise<void> {
  await ctx.db
    .insertInto('wallets')
    .values({ userId, balanceMinor: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A wallet whose row is locked by this transaction. `postTransaction` keeps `balanceMinor` (tiyn) current for passed wallets. */
export type LockedWallet = Pick<Wallet, 'userId' | 'balanceMinor'>;

/**
 * Locks a wallet until the transaction ends (WAL-2). A missing wallet is opened.
 * Lock order: after the owner's row, before invoice and application.
 */
export async function lockWallet(ctx: CommandContext, userId: number): Promise<LockedWallet> {
  const wallet = await holdWallet(ctx, userId);
  if (wallet) return wallet;
  await openWallet(ctx, userId);
  const opened = await holdWallet(ctx, userId);
  if (!opened) throw new Error(`the wallet of user ${userId} was not found in its own transaction`);
  return opened;
}

async function holdWallet({ db }: CommandContext, userId: number): Promise<LockedWallet | undefined> {
  return db.selectFrom('wallets').select(['userId', 'balanceMinor']).where('userId', '=', userId).forUpdate().executeTakeFirst();
}

/**
 * Locks several wallets in the order of their owners' ids, so that two transactions cannot deadlock.
 * @param held wallets that the transaction has locked already
 * @throws {RangeError} when one of those should have been locked later
 */
export async function lockWallets(
  ctx: CommandContext,
  userIds: Iterable<number>,
  held: readonly LockedWallet[] = [],
): Promise<LockedWallet[]> {
  const locked: LockedWallet[] = [];
  for (const userId of [...new Set(userIds)].sort((left, right) => left - right)) {
    const known = held.find((wallet) => wallet.userId === userId);
    if (!known && held.some((wallet) => wallet.userId > userId))
      throw new RangeError(`the wallet of user ${userId} must be locked before wallets of higher user ids`);
    locked.push(known ?? (await lockWallet(ctx, userId)));
  }
  return locked;
}

/** One leg of a booked transaction. */
export interface BookedLeg {
  account: string;
  amountMinor: number;
}

/** Lists the owners of the wallets that a transaction changed. */
export function movedWallets(legs: readonly BookedLeg[]): number[] {
  return legs.flatMap(({ account }) => walletOwner(account) ?? []);
}

/**
 * Finds the wallet that a transaction changed and by how much, tiyn; negative means taken out. Without a wallet: null and the
 * amount moved between the federation's accounts.
 */
export function movedWallet(legs: readonly BookedLeg[]): { userId: number | null; amountMinor: number } {
  const [userId = null] = movedWallets(legs);
  const counted = legs.filter((leg) => (userId === null ? leg.amountMinor > 0 : walletOwner(leg.account) === userId));
  return { userId, amountMinor: counted.reduce((sum, leg) => sum + leg.amountMinor, 0) };
}
