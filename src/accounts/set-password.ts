import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import { PasswordResetEntity, SessionEntity } from './entities.ts';
import type { User } from './entities.ts';

/**
 * Gives an account another password and ends every session of it; a recovery link still open would undo that, so it is closed.
 * The caller holds the lock of the user's row.
 */
export async function setPassword(ctx: CommandContext, user: User, passwordHash: string): Promise<void> {
  user.passwordHash = passwordHash;
  user.updatedAt = ctx.now;
  const ended = await ctx.em.nativeDelete(SessionEntity, { userId: user.id });
  await ctx.em.nativeUpdate(PasswordResetEntity, { userId: user.id, closedAt: null }, { closedAt: ctx.now, closedBy: 'newer' });
  audit(ctx, 'account.password_changed', { kind: 'user', id: user.id }, { sessions_ended: ended });
}
