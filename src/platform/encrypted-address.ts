import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { UnrecordedCaller } from './context.ts';
import { secretsIn } from './secret-list.ts';

/**
 * Encrypts the client address of a command, because Temporal keeps arguments in its history. API and workers can decrypt it for the audit.
 */

const prefix = 'encrypted:';
const nonceBytes = 12;
const tagBytes = 16;
const tagLength = { authTagLength: tagBytes };

/**
 * Returns the caller with an encrypted address. It can be decrypted only for the same request. Without a secret the address is removed.
 * @param secret SESSION_SECRET; the first of several encrypts
 */
export function encryptAddress(caller: UnrecordedCaller, secret: string | undefined): UnrecordedCaller {
  if (caller.ip === null) return caller;
  if (secret === undefined) return { ...caller, ip: null };
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secretsIn(secret)[0]), nonce, tagLength).setAAD(Buffer.from(caller.requestId));
  const encrypted = Buffer.concat([nonce, cipher.update(caller.ip, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { ...caller, ip: prefix + encrypted.toString('base64url') };
}

/**
 * Returns the caller with the decrypted address; a missing or plain address stays.
 * @throws {Error} when no secret of the list decrypts the address: another secret, another request, or a forged value
 */
export function decryptAddress(caller: UnrecordedCaller, secret: string | undefined): UnrecordedCaller {
  if (caller.ip === null || !caller.ip.startsWith(prefix)) return caller;
  const encrypted = Buffer.from(caller.ip.slice(prefix.length), 'base64url');
  if (secret === undefined) throw new Error('SESSION_SECRET is missing, so a client address cannot be decrypted');
  let failure: unknown;
  for (const candidate of secretsIn(secret)) {
    try {
      return { ...caller, ip: decrypt(encrypted, caller.requestId, candidate) };
    } catch (error) {
      failure = error;
    }
  }
  throw new Error('no SESSION_SECRET decrypts this client address', { cause: failure });
}

function decrypt(encrypted: Buffer, requestId: string, secret: string): string {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), encrypted.subarray(0, nonceBytes), tagLength)
    .setAAD(Buffer.from(requestId))
    .setAuthTag(encrypted.subarray(-tagBytes));
  return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
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
