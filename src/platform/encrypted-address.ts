import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { UnrecordedCaller } from './context.ts';

/**
 * Encrypts the client address of a command, because Temporal keeps arguments in its history. API and workers can decrypt it for the audit.
 */

const prefix = 'encrypted:';
const nonceBytes = 12;
const tagBytes = 16;
const tagLength = { authTagLength: tagBytes };

/**
 * Returns the caller with an encrypted address. It can be decrypted only for the same request. Without a secret the address is removed.
 * @param secret SESSION_SECRET
 */
export function encryptAddress(caller: UnrecordedCaller, secret: string | undefined): UnrecordedCaller {
  if (caller.ip === null) return caller;
  if (secret === undefined) return { ...caller, ip: null };
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce, tagLength).setAAD(Buffer.from(caller.requestId));
  const encrypted = Buffer.concat([nonce, cipher.update(caller.ip, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { ...caller, ip: prefix + encrypted.toString('base64url') };
}

/**
 * Returns the caller with the decrypted address; a missing or plain address stays.
 * @throws {Error} when the address cannot be decrypted: another secret, another request, or a forged value
 */
export function decryptAddress(caller: UnrecordedCaller, secret: string | undefined): UnrecordedCaller {
  if (caller.ip === null || !caller.ip.startsWith(prefix)) return caller;
  const encrypted = Buffer.from(caller.ip.slice(prefix.length), 'base64url');
  if (secret === undefined) throw new Error('SESSION_SECRET is missing, so a client address cannot be decrypted');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), encrypted.subarray(0, nonceBytes), tagLength)
    .setAAD(Buffer.from(caller.requestId))
    .setAuthTag(encrypted.subarray(-tagBytes));
  const ip = Buffer.concat([decipher.update(encrypted.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  return { ...caller, ip: ip.toString('utf8') };
}

const keys = new Map<string, KeyObject>();

/** Returns a key for this use only, derived once a process. */
function keyOf(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'caller address in commands', 32)));
  keys.set(secret, key);
  return key;
}
