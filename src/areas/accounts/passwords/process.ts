import { searchAttributes } from '../../../../workflows/contracts/process.contract.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { anyOf } from '../../../platform/database/database.ts';
import type { Expiring } from '../../../platform/expired-rows.ts';
import { minuteMs } from '../../../platform/time/date-time.ts';
import { defineTimer } from '../../../platform/workflows/define-process.ts';
import { audit } from '../../audit/index.ts';

/** Ends a recovery link thirty minutes after it was requested (ACC-6); `holder` is the user's id. */
export const passwordResetTimer = defineTimer({
  kind: 'password-reset',
  summary: (id) => `Recovery link of user ${id}: ends after its time`,
  attributes: (id) => [{ key: searchAttributes.userId, value: id }],
  lifetimeMs: 30 * minuteMs,
  expire: (ctx, holder) => expirePasswordResets(ctx, { holder: Number(holder) }),
});

/**
 * Closes expired recovery links, each with an audit row. Idempotent, and without effect before the expiry. The sweep of all holders reads `password_resets_expiry_index`.
 * @param of.holder id of the user
 * @returns the number of closed links
 */
export async function expirePasswordResets(ctx: CommandContext, of: Expiring<number>): Promise<number> {
  const { db, now } = ctx;
  const past = db.selectFrom('password_resets').select('id as key').where('closedAt', 'is', null).where('expiresAt', '<=', now);
  const closed = await db
    .updateTable('password_resets')
    .set({ closedAt: now, closedBy: 'time' })
    // Repeated here, not only in the choice: of two concurrent runs, the second finds the links closed.
    .where('closedAt', 'is', null)
    .where('expiresAt', '<=', now)
    .where((eb) => ('holder' in of ? eb('userId', '=', of.holder) : eb('id', '=', anyOf(past.orderBy('expiresAt').limit(of.limit)))))
    .returning('userId')
    .execute();
  for (const { userId } of closed) await audit(ctx, 'password_reset.expired', { kind: 'user', id: userId });
  return closed.length;
}
