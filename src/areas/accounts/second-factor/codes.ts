import { Secret, TOTP } from 'otpauth';
import { randomBytes } from 'node:crypto';
import { hashToken } from '../secret-tokens.ts';

/** TOTP as authenticator applications expect it (RFC 6238): SHA-1, six digits, 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** A code of the step before and after is accepted too, for clocks that differ (ACC-28). */
const tolerance = 1;

/** Makes a secret of 160 random bits (RFC 4226, section 4), in base32. */
export function makeSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** Returns the `otpauth:` address that an authenticator application reads from a QR code. */
export function otpauthUrl(secret: string, account: { issuer: string; email: string }): string {
  return new TOTP({ ...parameters, issuer: account.issuer, label: account.email, secret }).toString();
}

/** Returns the time step (units of 30 seconds since 1970) whose code this is; null for a code of no accepted step. */
export function stepOfCode(secret: string, code: string, at: Date): number | null {
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token: code, timestamp: at.getTime(), window: tolerance });
  return delta === null ? null : Math.floor(at.getTime() / (parameters.period * 1000)) + delta;
}

const recoveryCodeCount = 10;

/** Makes the recovery codes of a second factor: 120 random bits each, as six groups of four letters and digits (ACC-29). */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const code = new Secret({ buffer: new Uint8Array(randomBytes(15)).buffer }).base32;
    return (code.match(/.{4}/g) ?? []).join('-');
  });
}

/** Hashes a recovery code for storage. Case, spaces and hyphens do not count. SHA-256 suffices for 120 random bits (ASVS 6.5.2). */
export function hashRecoveryCode(code: string): string {
  return hashToken(code.toUpperCase().replaceAll(/[\s-]/g, ''));
}
