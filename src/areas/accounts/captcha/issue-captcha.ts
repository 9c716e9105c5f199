import { randomInt } from 'node:crypto';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { type Captcha, type CaptchaPurpose, SessionEntity } from '../entities.ts';
import { captchaTimer } from './process.ts';

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

/** Letters and digits that stay distinct when they are distorted: no 0/O, 1/I/L, 2/Z, 5/S, 6/G, 8/B, U/V. */
export const captchaAlphabet = 'ACDEFHJKMNPRTWXY3479';
/** ACC-5. */
export const captchaLength = 5;

// The package's types omit that it is a function that draws a given text; its `create` picks the text by Math.random.
type DrawSvg = (text: string, options: { width: number; height: number; fontSize: number; noise: number }) => string;

/** Picks the text of a new captcha from the system's source of randomness. */
export function pickCaptchaText(): string {
  return Array.from({ length: captchaLength }, () => captchaAlphabet.charAt(randomInt(captchaAlphabet.length))).join('');
}

/** Draws the text as a distorted, crossed-out PNG of 200 x 70 pixels. */
export async function drawCaptcha(text: string): Promise<Buffer> {
  // Workers load this area too but draw no captchas, so the first captcha loads the libraries.
  const [{ default: sharp }, { default: svgCaptcha }] = await Promise.all([import('sharp'), import('svg-captcha')]);
  const svg = (svgCaptcha as unknown as DrawSvg)(text, { width: 200, height: 70, fontSize: 62, noise: 3 });
  return sharp(Buffer.from(svg)).flatten({ background: '#ffffff' }).png({ compressionLevel: 9 }).toBuffer();
}
