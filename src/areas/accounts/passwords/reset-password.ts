import type { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { CommandContext, UnrecordedCaller } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { rememberAddress } from '../attempt-limits.ts';
import { confirmAddress } from '../email-confirmation/confirm-email.ts';
import { type PasswordChange, passwordMail } from '../mails.ts';
import { hashPassword } from '../password-hash.ts';
import { lockUser } from '../policy.ts';
import { hashToken } from '../secret-tokens.ts';
import { actAs } from '../sessions/act-as.ts';
import { mailPasswordChange } from './change-password.ts';
import { setPassword } from './set-password.ts';
import type { resetBody } from './wire.ts';

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
 * Handles a sent recovery link with a new password: hashes the password, runs `resetPassword` and mails the owner (ACC-19). Checks the
 * link before the hashing, so that a guessed token costs little.
 * @throws {DomainError} token_invalid; rate_limited, service_unavailable, as `hashPassword`
 */
export async function useRecoveryLink(
  platform: Platform,
  caller: UnrecordedCaller,
  { token, password }: z.output<typeof resetBody>,
  signal: AbortSignal,
): Promise<void> {
  const { email } = await query(platform, (db, now) => findOpenReset(db, token, now));
  const passwordHash = await hashPassword(password, { ip: caller.ip, signal, knownAs: email });
  const change = await commit(platform, caller, (ctx) => resetPassword(ctx, { token, passwordHash }));
  mailPasswordChange(platform, caller, passwordMail(platform, change, 'link'));
  await rememberAddress(platform, email, caller.ip);
}

/**
 * Sets the password by a recovery link, uses the link up, confirms its address (ACC-24) and ends all access to the account (ACC-6, ACC-18).
 * @throws {DomainError} token_invalid
 */
export async function resetPassword(ctx: CommandContext, input: { token: string; passwordHash: string }): Promise<PasswordChange> {
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
  const holder = actAs(ctx, user);
  await confirmAddress(holder, user, 'recovery_link');
  return setPassword(holder, user, { passwordHash: input.passwordHash, keepsPrograms: false });
}
