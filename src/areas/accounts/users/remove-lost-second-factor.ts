import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { deleteSecondFactor } from '../second-factor/remove-second-factor.ts';
import { endImpersonationsOf } from '../sessions/end-impersonations.ts';
import { endSessions } from '../sessions/start-session.ts';
import { lockWithAdministrator } from './change-user.ts';

/**
 * Removes the lost second factor of another account and ends its sessions (ACC-31).
 * @param input.reason stored with the removal; the audit does not have it (AUD-3)
 * @throws {DomainError} not_found, own_account, forbidden (see `lockWithAdministrator`); invalid_state when the account has none
 */
export async function removeLostSecondFactor(
  ctx: CommandContext,
  { userId, reason }: { userId: number; reason: string },
): Promise<Readonly<User>> {
  const user = await lockWithAdministrator(ctx, userId);
  await deleteSecondFactor(ctx, user);
  await ctx.db.insertInto('second_factor_removals').values({ userId, reason, requestId: ctx.requestId, at: ctx.now }).execute();
  await audit(ctx, 'second_factor.removed', { kind: 'user', id: userId });
  await endImpersonationsOf(ctx, userId);
  await endSessions(ctx, { userId });
  return user;
}
