import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hashToken } from '../secret-tokens.ts';
import { actAs } from '../sessions/act-as.ts';
import { lockUser } from '../users/lock-user.ts';
import { type NewPassword, type PasswordChange, setPassword } from './set-password.ts';

/** Finds the account of an open recovery link. @throws {DomainError} token_invalid for one that is unknown, used, replaced or expired */
export async function findOpenReset(db: Database, token: string, now: Date): Promise<{ userId: number; email: string }> {
  const reset = await db
    .selectFrom('password_resets as r')
    .innerJoin('users as u', 'u.id', 'r.userId')
    .select(['r.userId', 'u.email'])
    .where('r.tokenHash', '=', hashToken(token))
    .where('r.closedAt', 'is', null)
    .where('r.expiresAt', '>', now)
    .executeTakeFirst();
  if (!reset) throw new DomainError('token_invalid');
  return reset;
}

/**
 * Sets the password by a recovery link, uses the link up and ends all sessions of the account (ACC-6).
 * @throws {DomainError} token_invalid
 */
export async function resetPassword(ctx: CommandContext, input: NewPassword & { token: string }): Promise<PasswordChange> {
  const { userId } = await findOpenReset(ctx.db, input.token, ctx.now);
  // The account's row locks its links: of two concurrent uses, the second finds the link closed.
  const user = await lockUser(ctx, userId);
  const { numUpdatedRows } = await ctx.db
    .updateTable('password_resets')
    .set({ closedAt: ctx.now, closedBy: 'use' })
    .where('tokenHash', '=', hashToken(input.token))
    .where('closedAt', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n || user.status === 'blocked') throw new DomainError('token_invalid');
  return setPassword(actAs(ctx, user), user, input);
}
