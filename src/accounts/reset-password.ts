import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { actAs } from './act-as.ts';
import { PasswordResetEntity, UserEntity } from './entities.ts';
import type { PasswordReset } from './entities.ts';
import { hashToken } from './secret-tokens.ts';
import { setPassword } from './set-password.ts';

/** Finds an open recovery link. @throws {DomainError} token_invalid when it is unknown, used, replaced or too old */
export async function findOpenReset(em: EntityManager, token: string, now: Date): Promise<PasswordReset> {
  const reset = await em.findOne(PasswordResetEntity, { tokenHash: hashToken(token), closedAt: null, expiresAt: { $gt: now } });
  if (!reset) throw new DomainError('token_invalid');
  return reset;
}

/** Sets the password by a recovery link, which is used up, and ends all sessions of the account (decisions.md §2). @throws {DomainError} token_invalid */
export async function resetPassword(ctx: CommandContext, input: { token: string; passwordHash: string }): Promise<void> {
  const { userId } = await findOpenReset(ctx.em, input.token, ctx.now);
  // The account's row is the lock of its links: of two uses at once the second finds the link closed.
  const user = await ctx.em.findOneOrFail(UserEntity, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const [used] = await ctx.em.execute<{ id: number }[]>(
    `update password_resets set closed_at = ?, closed_by = 'use' where token_hash = ? and closed_at is null returning id`,
    [ctx.now, hashToken(input.token)],
  );
  if (!used || user.status === 'blocked') throw new DomainError('token_invalid');
  await setPassword(actAs(ctx, user), user, input.passwordHash);
}
