import type { CommandContext } from '../platform/context.ts';
import { executePrepared } from '../platform/database/prepared.ts';

/** A wallet whose row this transaction holds, and its balance, tiyn, kept up by the postings that are told of it. */
export interface LockedWallet {
  userId: number;
  balanceMinor: number;
}

/**
 * Takes the lock under which a person's money moves, until the transaction ends. A wallet begins with the first need of it.
 * Lock order: after the owner's row, before invoice and application.
 */
export async function lockWallet(ctx: CommandContext, userId: number): Promise<LockedWallet> {
  const wallet = (await holdWallet(ctx, userId)) ?? (await openWallet(ctx, userId));
  if (!wallet) throw new Error(`the wallet of user ${userId} vanished under its own transaction`);
  return wallet;
}

async function holdWallet(ctx: CommandContext, userId: number): Promise<LockedWallet | null> {
  const [row] = await executePrepared<{ balance_minor: string }>(
    ctx.em,
    'select balance_minor from wallets where user_id = $1 for update',
    [userId],
  );
  return row ? { userId, balanceMinor: Number(row.balance_minor) } : null;
}

/** Of two that open it at the same time the later one waits for the first and holds what that one has made. */
async function openWallet(ctx: CommandContext, userId: number): Promise<LockedWallet | null> {
  const [opened] = await executePrepared(
    ctx.em,
    'insert into wallets (user_id, balance_minor) values ($1, 0) on conflict do nothing returning user_id',
    [userId],
  );
  return opened ? { userId, balanceMinor: 0 } : holdWallet(ctx, userId);
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
