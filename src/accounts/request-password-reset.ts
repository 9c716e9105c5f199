import { LockMode } from '@mikro-orm/core';
import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { secretLifetimeMs } from '../platform/workflows/process-types.ts';
import { PasswordResetEntity, UserEntity } from './entities.ts';
import { hashToken, makeToken } from './secret-tokens.ts';

/** A recovery link's secret and where to send it; nowhere kept. */
export interface RecoveryLink {
  email: string;
  token: string;
}

/** Makes a one-time recovery link, thirty minutes, in the place of an older one (decisions.md §2). @returns null when there is no such account, or it is blocked */
export async function requestPasswordReset(ctx: CommandContext, email: string): Promise<RecoveryLink | null> {
  const user = await ctx.em.findOne(UserEntity, { email, status: 'active' }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user) return null;
  await ctx.em.nativeUpdate(PasswordResetEntity, { userId: user.id, closedAt: null }, { closedAt: ctx.now, closedBy: 'newer' });
  const token = makeToken();
  ctx.em.create(PasswordResetEntity, {
    userId: user.id,
    tokenHash: hashToken(token),
    expiresAt: new Date(ctx.now.getTime() + secretLifetimeMs['password-reset']),
    closedAt: null,
    closedBy: null,
    createdAt: ctx.now,
  });
  ctx.touch(processRef('password-reset', user.id));
  audit(ctx, 'password_reset.requested', { kind: 'user', id: user.id });
  return { email: user.email, token };
}
