import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { type Captcha, type CaptchaPurpose, SessionEntity } from '../entities.ts';
import { captchaTimer } from '../process.ts';

/**
 * Opens a captcha for a session, closes the former one (ACC-5) and restarts the durable timer.
 * Writes no audit row: anonymous callers could fill the audit with captchas.
 * @throws {DomainError} unauthenticated, when the session ended meanwhile
 */
export async function issueCaptcha(
  ctx: CommandContext,
  input: { id: string; sessionId: string; purpose: CaptchaPurpose; answerHash: string },
): Promise<Readonly<Captcha>> {
  // The lock serializes concurrent requests; the partial unique index would refuse the second.
  const session = await lockForChange(ctx.em, SessionEntity, { id: input.sessionId });
  if (!session) throw new DomainError('unauthenticated');
  await ctx.db
    .updateTable('captchas')
    .set({ closedAt: ctx.now, closedBy: 'newer' })
    .where('sessionId', '=', session.id)
    .where('closedAt', 'is', null)
    .execute();
  const captcha = await ctx.db
    .insertInto('captchas')
    .values({
      id: input.id,
      sessionId: session.id,
      purpose: input.purpose,
      answerHash: input.answerHash,
      expiresAt: new Date(ctx.now.getTime() + captchaTimer.lifetimeMs),
      closedAt: null,
      closedBy: null,
      createdAt: ctx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  ctx.wake(refOf(captchaTimer, session.id));
  return captcha;
}
