import { Secret, TOTP } from 'otpauth';
import { randomBytes } from 'node:crypto';
import { hashToken } from '../secret-tokens.ts';

/** TOTP as authenticator applications expect it (RFC 6238): SHA-1, six digits, 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** A code of the step before and after is accepted too, for clocks that differ (ACC-28). */
const tolerance = 1;

/** Makes a secret of 160 random bits (RFC 4226, section 4), in base32. */
export function makeSecret(): string {
  return randomBase32();
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
/** 140 bits; ASVS 11.5.1 asks for 128. */
const recoveryCodeLength = 28;

/** Makes the recovery codes of a second factor: 140 random bits each, as seven groups of four letters and digits (ACC-29). */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const code = randomBase32().slice(0, recoveryCodeLength);
    return (code.match(/.{4}/g) ?? []).join('-');
  });
}

/** Makes 160 random bits by Node's generator, as 32 letters and digits of base32 (RFC 4648). */
function randomBase32(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(20)).buffer }).base32;
}

/** Hashes a recovery code for storage. Case, spaces and hyphens do not count. SHA-256 suffices for 140 random bits (ASVS 6.5.2). */
export function hashRecoveryCode(code: string): string {
  return hashToken(code.toUpperCase().replaceAll(/[\s-]/g, ''));
}
