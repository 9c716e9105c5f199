import { createHash, randomBytes } from 'node:crypto';

/** 32 random bytes as 43 base64url characters: nobody guesses it, so its plain SHA-256 may lie in the database. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a token (session cookie, API key, recovery link): SHA-256, 64 hexadecimal characters. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
