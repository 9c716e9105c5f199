import { createHmac, randomBytes } from 'node:crypto';
import { encryptSecret, findSecret, type OpenedSecret, type RenewedSecret, renewSecret } from '../../platform/secrets/encryption.ts';

const prefix = 'whsec_';
const secretBytes = 32;

const placeOf = (id: number) => ({ purpose: 'webhook secrets', record: `webhook ${id}` });

/** Makes the secret of a webhook, as its receiver stores it (Standard Webhooks 1.0). */
export function makeSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** Encrypts the secret of a webhook for the database. @param keys ENCRYPTION_KEY */
export function sealSecret(keys: string, id: number, secret: string): string {
  return encryptSecret(keys, secret, placeOf(id));
}

/** Opens a stored secret. @param keys ENCRYPTION_KEY @returns null when no key decrypts it */
export function openSecret(keys: string, id: number, sealed: string): OpenedSecret | null {
  return findSecret(keys, sealed, placeOf(id));
}

/** Encrypts a stored secret anew, see `renewSecret`. @param keys ENCRYPTION_KEY */
export function renew(keys: string, id: number, sealed: string): RenewedSecret {
  return renewSecret(keys, sealed, placeOf(id));
}

/**
 * Returns the headers of a delivery (Standard Webhooks 1.0): a signature for each secret, over id, time and body.
 * @param at real time: receivers refuse old messages
 */
export function signatureHeaders(secrets: readonly string[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
