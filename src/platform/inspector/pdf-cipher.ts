import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/** The ways to encrypt strings or streams; `none` leaves them plain. */
export type CipherMethod = 'none' | 'rc4' | 'aes128' | 'aes256';

/** What the standard security handler of a PDF says of its encryption (ISO 32000-2, 7.6.4). */
export interface EncryptionFacts {
  revision: number;
  /** Bytes of the file's key. */
  keyLength: number;
  /** Permission bits. */
  permissions: number;
  ownerHash: Buffer;
  userHash: Buffer;
  /** The file's key, encrypted with the user password; revisions 5 and 6. */
  userKey: Buffer;
  /** First part of the file's identifier. */
  fileId: Buffer;
  encryptsMetadata: boolean;
}

const blockLength = 16;
/** Pads an empty password. */
const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

/** Returns the key of a file that opens without a password; null when it needs one. */
export function openWithoutPassword(facts: EncryptionFacts): Buffer | null {
  return facts.revision >= 5 ? openRecent(facts) : openOld(facts);
}

function openOld({ revision, keyLength, permissions, ownerHash, userHash, fileId, encryptsMetadata }: EncryptionFacts): Buffer | null {
  const bits = Buffer.alloc(4);
  bits.writeInt32LE(Math.trunc(permissions) | 0);
  const rest = revision >= 4 && !encryptsMetadata ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  let key = md5(padding, ownerHash.subarray(0, 32), bits, fileId, rest).subarray(0, keyLength);
  if (revision === 2) return rc4(key, padding).equals(userHash.subarray(0, 32)) ? key : null;
  for (let round = 0; round < 50; round += 1) key = md5(key).subarray(0, keyLength);
  let proof: Buffer = md5(padding, fileId);
  for (let round = 0; round < 20; round += 1) proof = rc4(Buffer.from(key.map((byte) => byte ^ round)), proof);
  return proof.equals(userHash.subarray(0, blockLength)) ? key : null;
}

function openRecent({ revision, userHash, userKey }: EncryptionFacts): Buffer | null {
  const [proof, proofSalt, keySalt] = [userHash.subarray(0, 32), userHash.subarray(32, 40), userHash.subarray(40, 48)];
  const hash = revision === 5 ? (salt: Buffer) => digest('sha256', salt) : hashOfRevision6;
  if (keySalt.length < 8 || userKey.length < 32 || !hash(proofSalt).equals(proof)) return null;
  const decipher = createDecipheriv('aes-256-cbc', hash(keySalt), Buffer.alloc(blockLength)).setAutoPadding(false);
  return decipher.update(userKey.subarray(0, 32));
}

/** Computes algorithm 2.B for an empty password; it ends after at most 288 rounds. */
function hashOfRevision6(salt: Buffer): Buffer {
  let key = digest('sha256', salt);
  for (let round = 0, last = 0; round < 64 || last > round - 32; round += 1) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const mixed = cipher.update(Buffer.concat(Array.from({ length: 64 }, () => key)));
    const remainder = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = digest((['sha256', 'sha384', 'sha512'] as const)[remainder] ?? 'sha256', mixed);
    last = mixed.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

/** Returns the key of one object's strings and streams. */
export function keyOfObject(method: CipherMethod, fileKey: Buffer, number: number, generation: number): Buffer {
  if (method === 'aes256') return fileKey;
  const id = Buffer.alloc(5);
  id.writeUIntLE(number % 0x1000000, 0, 3);
  id.writeUIntLE(generation % 0x10000, 3, 2);
  const salt = Buffer.from(method === 'aes128' ? 'sAlT' : '', 'latin1');
  return md5(fileKey, id, salt).subarray(0, Math.min(fileKey.length + 5, blockLength));
}

/** Decrypts as far as the data goes; keeps the padding of AES. */
export function decrypt(method: CipherMethod, key: Buffer, data: Buffer): Buffer {
  if (method === 'none') return data;
  if (method === 'rc4') return rc4(key, data);
  const end = data.length - (data.length % blockLength);
  if (end <= blockLength) return Buffer.alloc(0);
  const algorithm = method === 'aes128' ? 'aes-128-cbc' : 'aes-256-cbc';
  return createDecipheriv(algorithm, key, data.subarray(0, blockLength)).setAutoPadding(false).update(data.subarray(blockLength, end));
}

/** OpenSSL offers RC4 only with its legacy provider, so it is computed here. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 0xff] ?? 0;
  const swap = (left: number, right: number) => {
    const value = at(left);
    state[left & 0xff] = at(right);
    state[right & 0xff] = value;
  };
  for (let index = 0, other = 0; index < 256; index += 1) {
    other += at(index) + (key[index % key.length] ?? 0);
    swap(index, other);
  }
  const result = Buffer.allocUnsafe(data.length);
  for (let index = 0, left = 0, right = 0; index < data.length; index += 1) {
    left += 1;
    right += at(left);
    swap(left, right);
    result[index] = (data[index] ?? 0) ^ at(at(left) + at(right));
    right &= 0xff;
  }
  return result;
}

function md5(...parts: Buffer[]): Buffer {
  return digest('md5', ...parts);
}

function digest(algorithm: 'md5' | 'sha256' | 'sha384' | 'sha512', ...parts: Buffer[]): Buffer {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
