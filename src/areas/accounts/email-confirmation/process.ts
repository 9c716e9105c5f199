import { searchAttributes } from '../../../../workflows/contracts/process.contract.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { anyOf } from '../../../platform/database/database.ts';
import type { Expiring } from '../../../platform/expired-rows.ts';
import { minuteMs } from '../../../platform/time/date-time.ts';
import { defineTimer } from '../../../platform/workflows/define-process.ts';
import { audit } from '../../audit/index.ts';

/** Ends a confirmation link after 24 hours (ACC-24); `holder` is the user's id. */
export const emailConfirmationTimer = defineTimer({
  kind: 'email-confirmation',
  summary: (id) => `Confirmation link of user ${id}: ends after its time`,
  attributes: (id) => [{ key: searchAttributes.userId, value: id }],
  lifetimeMs: 24 * 60 * minuteMs,
  expire: (ctx, holder) => expireEmailConfirmations(ctx, { holder: Number(holder) }),
});

/**
 * Closes expired confirmation links, each with an audit row. Idempotent, and without effect before the expiry. The sweep of all holders reads `email_confirmations_expiry_index`.
 * @param of.holder id of the user
 * @returns the number of closed links
 */
export async function expireEmailConfirmations(ctx: CommandContext, of: Expiring<number>): Promise<number> {
  const { db, now } = ctx;
  const past = db.selectFrom('email_confirmations').select('id as key').where('closedAt', 'is', null).where('expiresAt', '<=', now);
  const closed = await db
    .updateTable('email_confirmations')
    .set({ closedAt: now, closedBy: 'time' })
    .where('closedAt', 'is', null)
    .where('expiresAt', '<=', now)
    .where((eb) => ('holder' in of ? eb('userId', '=', of.holder) : eb('id', '=', anyOf(past.orderBy('expiresAt').limit(of.limit)))))
    .returning('userId')
    .execute();
  for (const { userId } of closed) await audit(ctx, 'email_confirmation.expired', { kind: 'user', id: userId });
  return closed.length;
}
