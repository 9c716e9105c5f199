import { required } from '../config.ts';
import { DomainError } from '../errors.ts';
import { runCommand } from '../platform/command.ts';
import type { Caller, CommandContext } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { areSameHash, hashCaptchaAnswer } from './captcha-answer.ts';
import type { CaptchaPurpose } from './entities.ts';

export interface CaptchaAttempt {
  sessionId: string;
  captchaId: string;
  purpose: CaptchaPurpose;
  answerHash: string;
  /** The configured answer that fits every captcha was given (tests only). */
  isFixedAnswer: boolean;
}

/** Uses up a captcha of the session, whatever the answer was; one statement, so that of two at once one finds it open. @returns whether it was right */
export async function useCaptcha(ctx: CommandContext, attempt: CaptchaAttempt): Promise<boolean> {
  const [used] = await ctx.em.execute<{ purpose: string; answer_hash: string; closed_by: string }[]>(
    `update captchas set closed_at = ?, closed_by = case when expires_at > ? then 'use' else 'time' end
     where id = ? and session_id = ? and closed_at is null
     returning purpose, answer_hash, closed_by`,
    [ctx.now, ctx.now, attempt.captchaId, attempt.sessionId],
  );
  if (!used || used.closed_by !== 'use' || used.purpose !== attempt.purpose) return false;
  return areSameHash(used.answer_hash, attempt.answerHash) || attempt.isFixedAnswer;
}

/**
 * Demands a solved captcha before a form is taken. It has a transaction of its own: what the form then fails at must not give
 * the captcha back.
 * @throws {DomainError} captcha_failed
 */
export async function requireCaptcha(
  platform: Platform,
  caller: Caller,
  form: { sessionId: string; purpose: CaptchaPurpose; captchaId: string; answer: string },
): Promise<void> {
  const { sessionId, purpose, captchaId, answer } = form;
  const answerHash = hashCaptchaAnswer(required(platform.config, 'SESSION_SECRET'), captchaId, answer);
  const isFixedAnswer = answer.toUpperCase() === platform.config.CAPTCHA_FIXED_ANSWER?.toUpperCase();
  const isSolved = await runCommand(platform, caller, (ctx) =>
    useCaptcha(ctx, { sessionId, purpose, captchaId, answerHash, isFixedAnswer }),
  );
  if (!isSolved) throw new DomainError('captcha_failed');
}
