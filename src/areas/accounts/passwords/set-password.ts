import type { CommandContext } from '../../../platform/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { countValidKeys } from '../api-keys/create-api-key.ts';
import type { MailRecipient, User } from '../entities.ts';
import { passwordChanged } from '../extension-points.ts';
import { endSessions } from '../sessions/start-session.ts';

/** A new password. */
export interface NewPassword {
  passwordHash: string;
  /** Whether the API keys of the account stay valid. */
  keepApiKeys: boolean;
}

/** Effects of a new password, for the mail to the owner. */
export interface PasswordChange extends MailRecipient {
  at: Date;
  revokedKeys: number;
  keptKeys: number;
}

/**
 * Sets a new password and revokes access that an attacker may have (ACC-18): every session, the open recovery link, the link with the
 * bot (`passwordChanged`) and, unless the owner keeps them, every API key.
 */
export async function setPassword(
  ctx: CommandContext,
  user: Locked<User>,
  { passwordHash, keepApiKeys }: NewPassword,
): Promise<PasswordChange> {
  const { now } = ctx;
  user.passwordHash = passwordHash;
  user.updatedAt = now;
  const ended = await endSessions(ctx, { userId: user.id });
  await closeOpenReset(ctx, user);
  const keys = keepApiKeys
    ? { revoked: 0, kept: await countValidKeys(ctx.db, user.id, now) }
    : { revoked: await revokeKeys(ctx, user), kept: 0 };
  for (const changed of ctx.extensions.of(passwordChanged)) await changed(ctx, user.id);
  await audit(
    ctx,
    'account.password_changed',
    { kind: 'user', id: user.id },
    { sessions_ended: ended.length, api_keys_revoked: keys.revoked, api_keys_kept: keys.kept },
  );
  const { email, language, emailConfirmed } = user;
  return { email, language, emailConfirmed, at: now, revokedKeys: keys.revoked, keptKeys: keys.kept };
}

async function revokeKeys(ctx: CommandContext, user: Locked<User>): Promise<number> {
  const revoked = await ctx.db
    .updateTable('api_keys')
    .set({ revokedAt: ctx.now })
    .where('userId', '=', user.id)
    .where('revokedAt', 'is', null)
    .returning('id')
    .execute();
  for (const { id } of revoked) await audit(ctx, 'api_key.revoked', { kind: 'api_key', id });
  return revoked.length;
}

/** Closes the open recovery link of an account, if there is one. */
export async function closeOpenReset({ db, now }: CommandContext, user: Locked<User>): Promise<void> {
  await db
    .updateTable('password_resets')
    .set({ closedAt: now, closedBy: 'newer' })
    .where('userId', '=', user.id)
    .where('closedAt', 'is', null)
    .execute();
}
