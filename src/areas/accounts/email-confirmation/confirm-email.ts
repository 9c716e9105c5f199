import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { lockUser } from '../policy.ts';
import { hashToken } from '../secret-tokens.ts';
import { actAs } from '../sessions/act-as.ts';

/** Finds the account of an open confirmation link. @throws {DomainError} token_invalid for one that is unknown, used, replaced or expired */
export async function findOpenConfirmation(db: Database, token: string, now: Date): Promise<number> {
  const link = await db
    .selectFrom('email_confirmations')
    .select('userId')
    .where('tokenHash', '=', hashToken(token))
    .where('closedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (!link) throw new DomainError('token_invalid');
  return link.userId;
}

/**
 * Confirms the address of an account by the link of a mail to it, and uses the link up (ACC-24). Of concurrent uses one succeeds.
 * @throws {DomainError} token_invalid, also for a blocked account
 */
export async function confirmEmail(ctx: CommandContext, token: string): Promise<void> {
  const userId = await findOpenConfirmation(ctx.db, token, ctx.now);
  // The account's row locks its links: of two concurrent uses, the second finds the link closed.
  const user = await lockUser(ctx, userId);
  await findOpenConfirmation(ctx.db, token, ctx.now);
  if (user.status === 'blocked') throw new DomainError('token_invalid');
  await confirmAddress(actAs(ctx, user), user, 'link');
}

/**
 * Records that mails to the account's address reach its holder, and closes its open link (ACC-24). Does nothing when that is known.
 * @param by the link that the holder used
 */
export async function confirmAddress(ctx: CommandContext, user: Locked<User>, by: 'link' | 'recovery_link'): Promise<void> {
  if (user.emailConfirmed) return;
  user.emailConfirmed = true;
  user.updatedAt = ctx.now;
  await endUnprovenFactor(ctx, user);
  await closeOpenConfirmation(ctx, user.id, 'use');
  await audit(ctx, 'account.email_confirmed', { kind: 'user', id: user.id }, { by });
}

/** Ends a second factor that was set up before anyone proved to hold the address: it would lock the holder out (ACC-34). */
async function endUnprovenFactor(ctx: CommandContext, user: Locked<User>): Promise<void> {
  await ctx.db.deleteFrom('second_factors').where('userId', '=', user.id).execute();
  if (!user.secondFactor) return;
  user.secondFactor = false;
  await audit(ctx, 'second_factor.removed', { kind: 'user', id: user.id });
}

/** Closes the open confirmation link of a locked account, if there is one. */
export async function closeOpenConfirmation({ db, now }: CommandContext, userId: number, closedBy: 'use' | 'newer'): Promise<void> {
  await db
    .updateTable('email_confirmations')
    .set({ closedAt: now, closedBy })
    .where('userId', '=', userId)
    .where('closedAt', 'is', null)
    .execute();
}
