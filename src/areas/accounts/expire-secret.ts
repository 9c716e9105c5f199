import type { CommandContext } from '../../platform/context.ts';
import { anyOf } from '../../platform/database/database.ts';
import { audit } from '../audit/index.ts';

/** Scope of an expiry: the secrets of one holder, or at most `limit` secrets of all holders. */
export type Expiring<Holder> = { holder: Holder } | { limit: number };

/**
 * Closes expired captchas. Idempotent, and without effect before the expiry. The use of a captcha checks its age too; this only keeps
 * the record correct. The sweep of all holders reads `captchas_expiry_index`.
 * @param of.holder id of the session
 * @returns the number of closed captchas
 */
export async function expireCaptchas({ db, now }: CommandContext, of: Expiring<string>): Promise<number> {
  const past = db.selectFrom('captchas').select('id as key').where('closedAt', 'is', null).where('expiresAt', '<=', now);
  const { numUpdatedRows } = await db
    .updateTable('captchas')
    .set({ closedAt: now, closedBy: 'time' })
    .where('closedAt', 'is', null)
    .where('expiresAt', '<=', now)
    .where((eb) => ('holder' in of ? eb('sessionId', '=', of.holder) : eb('id', '=', anyOf(past.orderBy('expiresAt').limit(of.limit)))))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Closes expired recovery links the same way, each with an audit row. The sweep of all holders reads `password_resets_expiry_index`.
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
