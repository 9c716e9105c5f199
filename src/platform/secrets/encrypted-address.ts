import type { UnrecordedCaller } from '../commands/context.ts';
import { decrypt, encrypt, keyFor } from './encryption.ts';
import { secretsIn } from './secret-list.ts';

/**
 * Encrypts the client address of a command, because Temporal keeps arguments in its history. API and workers can decrypt it for the audit.
 */

const prefix = 'encrypted:';
const purpose = 'caller address in commands';

/**
 * Returns the caller with an encrypted address. It can be decrypted only for the same request. Without a secret the address is removed.
 * @param secret SESSION_SECRET; the first of several encrypts
 */
export function encryptAddress(caller: UnrecordedCaller, secret: string | undefined): UnrecordedCaller {
  if (caller.ip === null) return caller;
  if (secret === undefined) return { ...caller, ip: null };
  const encrypted = encrypt(keyFor(purpose, secretsIn(secret)[0]), caller.ip, caller.requestId);
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
      return { ...caller, ip: decrypt(keyFor(purpose, candidate), encrypted, caller.requestId) };
    } catch (error) {
      failure = error;
    }
  }
  throw new Error('no SESSION_SECRET decrypts this client address', { cause: failure });
}
