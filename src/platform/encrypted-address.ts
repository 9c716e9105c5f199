import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { UnrecordedCaller } from './context.ts';

/**
 * A command carries its caller's address to the audit row, and Temporal keeps a command's arguments in its history. So the address travels
 * encrypted: API and workers can read it.
 */

const prefix = 'encrypted:';
const nonceBytes = 12;
const tagBytes = 16;
const tagLength = { authTagLength: tagBytes };

/**
 * The caller as he may lie in a history. Encrypted for his request alone: on another it cannot be decrypted. Without a secret there is no
 * address.
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
 * The caller as the command needs him. One without an address, or with a plain one, stays as it is.
 * @throws {Error} when the address cannot be decrypted: another secret, another request, or not encrypted by us
 */
export function decryptAddress(caller: UnrecordedCaller, secret: string | undefined): UnrecordedCaller {
  if (caller.ip === null || !caller.ip.startsWith(prefix)) return caller;
  const encrypted = Buffer.from(caller.ip.slice(prefix.length), 'base64url');
  if (secret === undefined) throw new Error('there is no secret to decrypt an address with');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), encrypted.subarray(0, nonceBytes), tagLength)
    .setAAD(Buffer.from(caller.requestId))
    .setAuthTag(encrypted.subarray(-tagBytes));
  const ip = Buffer.concat([decipher.update(encrypted.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  return { ...caller, ip: ip.toString('utf8') };
}

const keys = new Map<string, KeyObject>();

/** A key of its own for this one use; derived once a process. */
function keyOf(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'caller address in commands', 32)));
  keys.set(secret, key);
  return key;
}
