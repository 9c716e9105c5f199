import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Variables } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import { secretsIn } from './secret-list.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text with AES-256-GCM and a random nonce (NIST SP 800-38D).
 * @param context what the text belongs to; the same is needed to decrypt it
 * @returns nonce, encrypted text and tag
 */
export function encrypt(key: KeyObject, text: string, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `encrypt` returned. @throws {Error} for another key or context, or a changed value */
export function decrypt(key: KeyObject, encrypted: Buffer, context: string): string {
  const decipher = createDecipheriv(algorithm, key, encrypted.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(encrypted.subarray(-tagBytes));
  return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
}

const keys = new Map<string, KeyObject>();

/** Derives the key of one purpose from a secret by HKDF-SHA-256 (RFC 5869), once a process. */
export function keyFor(purpose: string, secret: string): KeyObject {
  const name = `${purpose}\n${secret}`;
  const known = keys.get(name);
  if (known) return known;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  keys.set(name, key);
  return key;
}

/** What a stored secret is for, and which record has it. */
export interface SecretPlace {
  purpose: string;
  record: string;
}

/** Returns `ENCRYPTION_KEY`. @throws {DomainError} service_unavailable without it */
export function requireEncryptionKey({ ENCRYPTION_KEY: keys }: Pick<Variables, 'ENCRYPTION_KEY'>): string {
  if (keys === undefined) throw new DomainError('service_unavailable', undefined, 'ENCRYPTION_KEY is not configured.');
  return keys;
}

/** Encrypts a secret for the database with the first key of `ENCRYPTION_KEY`. */
export function encryptSecret(encryptionKey: string, secret: string, { purpose, record }: SecretPlace): string {
  return encrypt(keyFor(purpose, secretsIn(encryptionKey)[0]), secret, record).toString('base64');
}

/** A decrypted secret. `isCurrent`: the first key encrypted it; if not, the caller should encrypt it again. */
export interface OpenedSecret {
  secret: string;
  isCurrent: boolean;
}

/** Decrypts a secret of the database with any key of `ENCRYPTION_KEY`. @throws {Error} when no key decrypts it */
export function decryptSecret(encryptionKey: string, stored: string, place: SecretPlace): OpenedSecret {
  const opened = findSecret(encryptionKey, stored, place);
  if (opened === null) throw new Error(`no ENCRYPTION_KEY decrypts the secret of ${place.record}; add the former key to the list`);
  return opened;
}

/** Decrypts a secret as `decryptSecret` does. @returns null when no key decrypts it */
export function findSecret(encryptionKey: string, stored: string, { purpose, record }: SecretPlace): OpenedSecret | null {
  for (const [index, key] of secretsIn(encryptionKey).entries()) {
    try {
      return { secret: decrypt(keyFor(purpose, key), Buffer.from(stored, 'base64'), record), isCurrent: index === 0 };
    } catch {
      // Another key of the list may be the right one.
    }
  }
  return null;
}

/** A secret that was encrypted anew where that was possible and needed. */
export interface RenewedSecret {
  stored: string;
  state: 'current' | 'renewed' | 'unreadable';
}

/** Encrypts a stored secret anew with the first key of `ENCRYPTION_KEY`; one that no key decrypts stays as it is. */
export function renewSecret(encryptionKey: string, stored: string, place: SecretPlace): RenewedSecret {
  const opened = findSecret(encryptionKey, stored, place);
  if (opened === null) return { stored, state: 'unreadable' };
  return opened.isCurrent ? { stored, state: 'current' } : { stored: encryptSecret(encryptionKey, opened.secret, place), state: 'renewed' };
}

/** What `npm run registry -- secrets` did to the secrets of one kind. */
export class EncryptedAnew {
  /** Records whose secret another key had encrypted. */
  changed = 0;
  /** Ids of records with a secret that no key decrypts. */
  readonly unreadable: (number | string)[] = [];

  /** Counts a record. */
  add(id: number | string, secrets: readonly RenewedSecret[]): void {
    if (secrets.some(({ state }) => state === 'renewed')) this.changed += 1;
    if (secrets.some(({ state }) => state === 'unreadable')) this.unreadable.push(id);
  }
}
