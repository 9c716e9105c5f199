import type { CommandContext } from '../../../platform/context.ts';

/** Opens a person's wallet, with nothing in it, in the transaction that opens the account; one that is open stays as it is. */
export async function openWallet(ctx: CommandContext, userId: number): Promise<void> {
  await ctx.db
    .insertInto('wallets')
    .values({ userId, balanceMinor: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A wallet whose row this transaction holds, and its balance, tiyn, kept up by the postings that are told of it. */
export interface LockedWallet {
  userId: number;
  balanceMinor: number;
}

/**
 * Takes the lock under which a person's money moves, until the transaction ends. A wallet that is missing is opened.
 * Lock order: after the owner's row, before invoice and application.
 */
export async function lockWallet(ctx: CommandContext, userId: number): Promise<LockedWallet> {
  const wallet = await holdWallet(ctx, userId);
  if (wallet) return wallet;
  await openWallet(ctx, userId);
  const opened = await holdWallet(ctx, userId);
  if (!opened) throw new Error(`the wallet of user ${userId} vanished under its own transaction`);
  return opened;
}

async function holdWallet({ db }: CommandContext, userId: number): Promise<LockedWallet | undefined> {
  return db.selectFrom('wallets').select(['userId', 'balanceMinor']).where('userId', '=', userId).forUpdate().executeTakeFirst();
}

/**
 * Locks several wallets in the order of their owners' ids, so that two transfers never wait for each other.
 * @param held those that the transaction holds already
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
    if (!known && held.some((wallet) => wallet.userId > userId)) throw new RangeError(`the wallet of user ${userId} is locked too late`);
    locked.push(known ?? (await lockWallet(ctx, userId)));
  }
  return locked;
}
