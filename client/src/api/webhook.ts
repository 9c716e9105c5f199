import type { components } from './types.ts';

/** A change of a record, as `GET /changes` lists it and a webhook delivers it. */
export type Change = components['schemas']['Change'];

/**
 * - `missing_header`: not a message by Standard Webhooks 1.0
 * - `outside_tolerance`: its timestamp is more than five minutes from now
 * - `wrong_signature`: changed on its way, or signed with another secret
 */
export type WebhookProblem = 'missing_header' | 'outside_tolerance' | 'wrong_signature';

/** A message that the registry did not send, or not now: answer 400. */
export class WebhookError extends Error {
  readonly reason: WebhookProblem;

  constructor(reason: WebhookProblem) {
    super(`The message is not accepted: ${reason}.`);
    this.name = 'WebhookError';
    this.reason = reason;
  }
}

/** Of a `Request`, or as a server of Node has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const toleranceMs = 5 * 60_000;

/**
 * Verifies a message by Standard Webhooks 1.0 and returns its change. A message may come twice: compare its `id`.
 *
 * @param body exactly as it was received, before any parsing
 * @param secret `whsec_…`; several while a secret is replaced
 * @throws {WebhookError} for a message that must not be trusted
 * @throws {TypeError} for a malformed secret
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { at = new Date() }: { at?: Date } = {},
): Promise<Change> {
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(importSecret));
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ').map(readSignature);
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('missing_header');
  if (Math.abs(at.getTime() - Number(timestamp) * 1000) > toleranceMs) throw new WebhookError('outside_tolerance');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer();
  // WebCrypto compares in constant time.
  const checks = keys.flatMap((key) =>
    signatures.flatMap((signature) => (signature === null ? [] : crypto.subtle.verify('HMAC', key, signature, signed))),
  );
  if (!(await Promise.all(checks)).includes(true)) throw new WebhookError('wrong_signature');
  return JSON.parse(new TextDecoder().decode(bytes)) as Change;
}

/** @throws {WebhookError} missing_header */
function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookError('missing_header');
  return value;
}

/** Returns the bytes of `v1,<base64>`; null for another version and for any other text. */
function readSignature(text: string): Uint8Array<ArrayBuffer> | null {
  const [version, base64 = ''] = text.split(',');
  return version === 'v1' ? decodeBase64(base64) : null;
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith('whsec_') ? decodeBase64(secret.slice('whsec_'.length)) : null;
  if (bytes === null || bytes.length === 0) throw new TypeError('A secret of a webhook is `whsec_` and base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
