import type { CommandContext } from '../../../platform/commands/context.ts';
import { anyOf } from '../../../platform/database/database.ts';
import type { Expiring } from '../../../platform/expired-rows.ts';
import { minuteMs } from '../../../platform/time/date-time.ts';
import { defineTimer } from '../../../platform/workflows/define-process.ts';

/** Ends a captcha ten minutes after it was issued (ACC-5); `holder` is the session's id. */
export const captchaTimer = defineTimer({
  kind: 'captcha',
  summary: () => 'Captcha of a session: ends after its time',
  lifetimeMs: 10 * minuteMs,
  expire: (ctx, holder) => expireCaptchas(ctx, { holder }),
});

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
