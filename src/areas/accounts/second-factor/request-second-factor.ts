import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { lockUser, requireConfirmedAddress } from '../policy.ts';

/**
 * Stores a new secret that waits to be confirmed (ACC-27). A newer one replaces it; a confirmed second factor stays until then.
 * @throws {DomainError} email_not_confirmed
 */
export async function requestSecondFactor(ctx: CommandContext, { userId, sealed }: { userId: number; sealed: string }): Promise<void> {
  requireConfirmedAddress(await lockUser(ctx, userId));
  await ctx.db
    .insertInto('second_factors')
    .values({ userId, pendingSecret: sealed, secret: null, confirmedAt: null, lastStep: 0, recoveryCodeHashes: [], createdAt: ctx.now })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ pendingSecret: sealed }))
    .execute();
  await audit(ctx, 'second_factor.requested', { kind: 'user', id: userId });
}
