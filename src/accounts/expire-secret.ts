import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import type { OneTimeSecretInput } from '../../workflows/one-time-secret.contract.ts';

/**
 * Closes the open secret of a holder when its time is over by the clock; otherwise does nothing, so it may run again and may
 * come too early. That a secret is too old is checked at its use; this lets the record say so.
 */
export async function expireSecret(ctx: CommandContext, { kind, holder }: OneTimeSecretInput): Promise<void> {
  if (kind === 'captcha') {
    await ctx.em.execute(
      `update captchas set closed_at = ?, closed_by = 'time' where session_id = ? and closed_at is null and expires_at <= ?`,
      [ctx.now, holder, ctx.now],
    );
    return;
  }
  await closePastResets(ctx, Number(holder));
}

/** Closes recovery links whose time is over. @param userId of this account, or null: of all @returns how many */
export async function closePastResets(ctx: CommandContext, userId: number | null): Promise<number> {
  const closed = await ctx.em.execute<{ user_id: number }[]>(
    `update password_resets set closed_at = ?, closed_by = 'time'
     where closed_at is null and expires_at <= ? and (?::int is null or user_id = ?) returning user_id`,
    [ctx.now, ctx.now, userId, userId],
  );
  for (const { user_id: id } of closed) audit(ctx, 'password_reset.expired', { kind: 'user', id });
  return closed.length;
}
