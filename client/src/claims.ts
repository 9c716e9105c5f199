import { InvalidToken } from './bytes.ts';
import type { CborValue } from './cbor.ts';

/** Labels of RFC 8392. */
export const issuerClaim = 1;
export const subjectClaim = 2;
export const expiryClaim = 4;
export const notBeforeClaim = 5;
export const issuedClaim = 6;

export function readText(value: CborValue | undefined): string {
  if (typeof value !== 'string') throw new InvalidToken('a claim is no text');
  return value;
}

/** Reads whole seconds since 1970. An invalid date would pass every comparison. */
export function readTime(value: CborValue | undefined): Date {
  const time = new Date(typeof value === 'number' ? value * 1000 : Number.NaN);
  if (Number.isNaN(time.getTime())) throw new InvalidToken('a claim is no time');
  return time;
}

export function originOf(address: string): string {
  try {
    return new URL(address).origin;
  } catch {
    throw new InvalidToken('not an address');
  }
}
