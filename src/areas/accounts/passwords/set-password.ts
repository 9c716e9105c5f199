import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { countValidKeys } from '../api-keys/create-api-key.ts';
import type { User } from '../entities.ts';
import { endAccess } from '../extension-points.ts';
import type { PasswordChange } from '../mails.ts';
import { endSessions } from '../sessions/start-session.ts';

/** A new password. */
export interface NewPassword {
  passwordHash: string;
  /** Whether the programs of the account go on: its API keys and webhooks. Never after a recovery. */
  keepsPrograms: boolean;
}

/**
 * Sets a new password and revokes access that an attacker may have (ACC-18): every session, the open recovery link, the link with the
 * bot and, unless the owner keeps them, every API key and webhook.
 */
export async function setPassword(
  ctx: CommandContext,
  user: Locked<User>,
  { passwordHash, keepsPrograms }: NewPassword,
): Promise<PasswordChange> {
  const { now } = ctx;
  user.passwordHash = passwordHash;
  user.updatedAt = now;
  const ended = await endSessions(ctx, { userId: user.id });
  await closeOpenReset(ctx, user);
  const keys = keepsPrograms
    ? { revoked: 0, kept: await countValidKeys(ctx.db, user.id, now) }
    : { revoked: await revokeKeys(ctx, user), kept: 0 };
  const disabledWebhooks = await endAccess(ctx, { cause: 'password_changed', userId: user.id, keepsPrograms });
  await audit(
    ctx,
    'account.password_changed',
    { kind: 'user', id: user.id },
    { sessions_ended: ended.length, api_keys_revoked: keys.revoked, api_keys_kept: keys.kept, webhooks_disabled: disabledWebhooks },
  );
  const { email, language, emailConfirmed, role } = user;
  return { owner: { email, language, emailConfirmed, role }, at: now, revokedKeys: keys.revoked, keptKeys: keys.kept, disabledWebhooks };
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
