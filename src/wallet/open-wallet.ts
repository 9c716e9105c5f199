import type { CommandContext } from '../platform/context.ts';

/** Opens a person's wallet, with nothing in it, in the transaction that opens the account; one that is open stays as it is. */
export async function openWallet(ctx: CommandContext, userId: number): Promise<void> {
  await ctx.db
    .insertInto('wallets')
    .values({ userId, balanceMinor: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
