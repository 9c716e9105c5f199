import { createHmac } from 'node:crypto';
import type { Secrets } from './secrets.ts';

/** Capital letters and digits that are told apart at a glance. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 5;

/**
 * The answer by which the project's own programs pass a captcha of the embedded run, `CAPTCHA_FIXED_ANSWER` there: the picture is
 * made so that a program cannot read it, and only its hash is kept. It follows from a secret of the data directory, so whoever may
 * read that directory can have it and nobody else; people go on solving the pictures.
 */
export function captchaAnswerOf(secrets: Pick<Secrets, 'sessionSecret'>): string {
  const digest = createHmac('sha256', secrets.sessionSecret).update('captcha answer of programs').digest();
  return Array.from(digest.subarray(0, length), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
