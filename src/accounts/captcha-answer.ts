import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What is kept of a captcha's answer. Five characters are soon guessed from a plain hash, so it is keyed with a secret that
 * does not lie in the database, and with the captcha's id.
 */
export function hashCaptchaAnswer(secret: string, captchaId: string, answer: string): string {
  return createHmac('sha256', secret).update(`captcha:${captchaId}:${answer.trim().toUpperCase()}`).digest('hex');
}

/** Compares two such hashes in constant time. */
export function areSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
