import type { CommandContext } from '../platform/context.ts';

/** A wallet whose row this transaction holds. */
export interface LockedWallet {
  userId: number;
  balanceMinor: number;
}

/**
 * Takes the lock under which a person's money moves, until the transaction ends. A wallet begins with the first need of it.
 * Lock order: after the owner's row, before invoice and application.
 */
export async function lockWallet(ctx: CommandContext, userId: number): Promise<LockedWallet> {
  await ctx.em.execute('insert into wallets (user_id, balance_minor) values (?, 0) on conflict do nothing', [userId]);
  const [row] = await ctx.em.execute<{ balance_minor: string }[]>('select balance_minor from wallets where user_id = ? for update', [
    userId,
  ]);
  if (!row) throw new Error(`the wallet of user ${userId} vanished under its own transaction`);
  return { userId, balanceMinor: Number(row.balance_minor) };
}

/** Locks several wallets in the order of their owners' ids, so that two transfers never wait for each other. */
export async function lockWallets(ctx: CommandContext, userIds: Iterable<number>): Promise<LockedWallet[]> {
  const locked: LockedWallet[] = [];
  for (const userId of [...new Set(userIds)].sort((left, right) => left - right)) locked.push(await lockWallet(ctx, userId));
  return locked;
}
