import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { audit } from '../../audit/index.ts';
import { UserEntity } from '../entities.ts';
import type { MailedLink } from '../mails.ts';
import { hashToken, makeToken } from '../secret-tokens.ts';
import { closeOpenReset } from './set-password.ts';
import { passwordResetTimer } from './process.ts';

/**
 * Creates a one-time recovery link for thirty minutes, which replaces an older one (ACC-6).
 * @returns null when the account does not exist or is blocked
 */
export async function requestPasswordReset(ctx: CommandContext, email: string): Promise<MailedLink | null> {
  const user = await lockForChange(ctx.em, UserEntity, { email, status: 'active' });
  if (!user) return null;
  await closeOpenReset(ctx, user);
  const token = makeToken();
  await ctx.db
    .insertInto('password_resets')
    .values({
      userId: user.id,
      tokenHash: hashToken(token),
      expiresAt: new Date(ctx.now.getTime() + passwordResetTimer.lifetimeMs),
      closedAt: null,
      closedBy: null,
      createdAt: ctx.now,
    })
    .execute();
  ctx.wake(refOf(passwordResetTimer, user.id));
  await audit(ctx, 'password_reset.requested', { kind: 'user', id: user.id });
  return { email: user.email, language: user.language, token };
}
