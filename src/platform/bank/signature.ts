import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns the canonical form of fields: sorted by name and URL-encoded, without `signature`. The order in which a browser or proxy sends
 * them does not matter.
 */
export function canonicalFields(fields: Readonly<Record<string, string>>): string {
  const signed = Object.entries(fields).filter(([name]) => name !== 'signature');
  signed.sort(([left], [right]) => (left < right ? -1 : 1));
  return new URLSearchParams(signed).toString();
}

/** Returns the HMAC-SHA256 (hex) of the canonical form with the secret shared with the bank. */
export function signFields(fields: Readonly<Record<string, string>>, secret: string): string {
  return createHmac('sha256', secret).update(canonicalFields(fields)).digest('hex');
}

/** Returns whether `fields.signature` is correct; compares in constant time. */
export function hasValidSignature(fields: Readonly<Record<string, string>>, secret: string): boolean {
  const given = Buffer.from(fields['signature'] ?? '', 'utf8');
  const expected = Buffer.from(signFields(fields, secret), 'utf8');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
