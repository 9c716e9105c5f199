import { sql } from 'kysely';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { required } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { commit } from '../../../platform/commands/command.ts';
import type { Caller, CommandContext } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { secretsIn } from '../../../platform/secrets/secret-list.ts';
import type { CaptchaPurpose } from '../entities.ts';

/**
 * Hashes a captcha's answer for storage. A plain hash of five characters is easy to reverse, so the key is a secret that is not in the
 * database, and the captcha's id is part of the input.
 * @param secret SESSION_SECRET, one of several
 */
export function hashCaptchaAnswer(secret: string, captchaId: string, answer: string): string {
  return createHmac('sha256', secret).update(`captcha:${captchaId}:${answer.trim().toUpperCase()}`).digest('hex');
}

/** Compares two hashes in constant time. */
function areSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/**
 * Uses up a captcha of the session, also with a wrong answer (ACC-5). One statement, so that only one of two concurrent requests finds
 * it open.
 * @param attempt.isFixedAnswer whether the answer is the configured one that fits every captcha (tests only)
 * @returns whether the answer was right
 */
async function useCaptcha(
  ctx: CommandContext,
  attempt: { sessionId: string; captchaId: string; purpose: CaptchaPurpose; answerHashes: readonly string[]; isFixedAnswer: boolean },
): Promise<boolean> {
  const used = await ctx.db
    .updateTable('captchas')
    .set((eb) => ({
      closedAt: ctx.now,
      closedBy: eb
        .case()
        .when('expiresAt', '>', ctx.now)
        .then(sql.lit('use' as const))
        .else(sql.lit('time' as const))
        .end(),
    }))
    .where('id', '=', attempt.captchaId)
    .where('sessionId', '=', attempt.sessionId)
    .where('closedAt', 'is', null)
    .returning(['purpose', 'answerHash', 'closedBy'])
    .executeTakeFirst();
  if (!used || used.closedBy !== 'use' || used.purpose !== attempt.purpose) return false;
  return attempt.answerHashes.some((hash) => areSameHash(used.answerHash, hash)) || attempt.isFixedAnswer;
}

/**
 * Requires a solved captcha before a form is accepted (ACC-5). Runs in its own transaction: a form that fails later must not reopen the
 * captcha.
 * @throws {DomainError} captcha_failed
 */
export async function requireCaptcha(
  platform: Platform,
  caller: Caller,
  sessionId: string,
  purpose: CaptchaPurpose,
  { captcha_id: captchaId, captcha_answer: answer }: { captcha_id: string; captcha_answer: string },
): Promise<void> {
  const answerHashes = secretsIn(required(platform.config, 'SESSION_SECRET')).map((secret) => hashCaptchaAnswer(secret, captchaId, answer));
  const isFixedAnswer = answer.toUpperCase() === platform.config.CAPTCHA_FIXED_ANSWER?.toUpperCase();
  const isSolved = await commit(platform, caller, (ctx) => useCaptcha(ctx, { sessionId, purpose, captchaId, answerHashes, isFixedAnswer }));
  if (!isSolved) throw new DomainError('captcha_failed');
}
