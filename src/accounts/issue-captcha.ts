import { LockMode } from '@mikro-orm/core';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { secretLifetimeMs } from '../platform/workflows/process-types.ts';
import { CaptchaEntity, SessionEntity } from './entities.ts';
import type { Captcha, CaptchaPurpose } from './entities.ts';

/**
 * Opens a captcha for a session and closes the one before it (service.md "Authentication" 5); its durable timer starts anew.
 * No audit row: a captcha says nothing about anybody, and strangers could fill the audit with them.
 * @throws {DomainError} unauthenticated, when the session ended meanwhile
 */
export async function issueCaptcha(
  ctx: CommandContext,
  input: { id: string; sessionId: string; purpose: CaptchaPurpose; answerHash: string },
): Promise<Captcha> {
  // Two at once take turns here; the partial unique index would refuse the second.
  const session = await ctx.em.findOne(SessionEntity, { id: input.sessionId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!session) throw new DomainError('unauthenticated');
  await ctx.em.nativeUpdate(CaptchaEntity, { sessionId: session.id, closedAt: null }, { closedAt: ctx.now, closedBy: 'newer' });
  ctx.touch(processRef('captcha', session.id));
  return ctx.em.create(CaptchaEntity, {
    id: input.id,
    sessionId: session.id,
    purpose: input.purpose,
    answerHash: input.answerHash,
    expiresAt: new Date(ctx.now.getTime() + secretLifetimeMs.captcha),
    closedAt: null,
    closedBy: null,
    createdAt: ctx.now,
  });
}
