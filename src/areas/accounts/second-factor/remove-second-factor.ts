import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { lockUser } from '../policy.ts';

/**
 * Removes the second factor of the own account with its recovery codes (ACC-30). The route checks password and code before.
 * @throws {DomainError} invalid_state when the account has none
 */
export async function removeSecondFactor(ctx: CommandContext, userId: number): Promise<Readonly<User>> {
  const user = await lockUser(ctx, userId);
  await deleteSecondFactor(ctx, user);
  await audit(ctx, 'second_factor.removed', { kind: 'user', id: userId });
  return user;
}

/** Deletes a second factor with its recovery codes. @throws {DomainError} invalid_state when the account has none */
export async function deleteSecondFactor(ctx: CommandContext, user: Locked<User>): Promise<void> {
  if (!user.secondFactor) throw new DomainError('invalid_state', undefined, 'The account has no second factor.');
  await ctx.db.deleteFrom('second_factors').where('userId', '=', user.id).execute();
  user.secondFactor = false;
  user.updatedAt = ctx.now;
}
