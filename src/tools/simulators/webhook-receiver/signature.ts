import { createHmac } from 'node:crypto';
import { isSame } from '../simulator.ts';

/**
 * Returns whether a secret made one of the signatures of a delivery (Standard Webhooks 1.0). It does not compare the timestamp with the
 * clock, because the sandbox moves the registry's clock.
 * @param secret `whsec_` and base64
 */
export function isSignedBy(secret: string, headers: Readonly<Record<string, string>>, body: Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  return signatures.split(' ').some((signature) => isSame(signature, expected));
}
