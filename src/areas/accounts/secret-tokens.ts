import { createHash, randomBytes } from 'node:crypto';

/** Makes a token of 32 random bytes, 43 base64url characters. It cannot be guessed, so a plain SHA-256 of it is safe to store. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a token (session cookie, API key, recovery link) for storage: SHA-256, 64 hexadecimal characters. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
