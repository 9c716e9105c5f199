import { type CipherMethod, decrypt, type EncryptionFacts, keyOfObject, openWithoutPassword } from './pdf-cipher.ts';
import type { Steps } from './pdf-steps.ts';
import { decodeString } from './pdf-strings.ts';
import { MalformedValueError, type PdfValue, readValue } from './pdf-values.ts';

/** The PDF needs a password, or is encrypted in a way that programs read differently. */
export class EncryptedPdfError extends Error {}

/** An object as its header names it. */
export interface ObjectId {
  number: number;
  generation: number;
}

/** Reads the strings and streams of a PDF that opens without a password. */
export interface Decryptor {
  /** Decrypts the beginning of a string. @param raw with its brackets */
  readString(raw: Buffer, of: ObjectId): Buffer;
  readStream(data: Buffer, of: ObjectId): Buffer;
}

/** An object that names an encryption: a trailer or a cross-reference stream. */
export interface EncryptionHolder {
  bytes: Buffer;
  start: number;
}

/** Steps for the hashes of one key, and for the key of an object with its cipher. */
const [stepsPerOpening, stepsPerCipher] = [100_000, 400];
const methods: Record<string, CipherMethod> = { Identity: 'none', V2: 'rc4', AESV2: 'aes128', AESV3: 'aes256' };

/**
 * Opens an encrypted PDF with the empty user password, as every program does first.
 *
 * Accepts only what all programs read alike: one encryption, the same in each trailer, with direct and single values.
 * @param holders all objects that name an encryption
 * @param find returns all objects of a number
 * @throws {EncryptedPdfError}
 * @throws {TooManyStepsError}
 */
export function openEncrypted(
  holders: readonly EncryptionHolder[],
  find: (number: number) => readonly EncryptionHolder[],
  steps: Steps,
): Decryptor {
  let opened: Encryption | null = null;
  for (const { bytes, start } of holders) {
    const trailer = new Dictionary(bytes, start, steps);
    const named = trailer.get('Encrypt');
    let dictionary: Dictionary;
    if (named?.kind === 'reference') {
      const [object, ...others] = find(named.to);
      if (!object || others.length > 0) throw new EncryptedPdfError();
      dictionary = new Dictionary(object.bytes, object.start, steps);
    } else dictionary = trailer.inner('Encrypt');
    const encryption = open(dictionary, trailer.firstOf('ID'), steps);
    if (opened && !isSame(opened, encryption)) throw new EncryptedPdfError();
    opened = encryption;
  }
  if (!opened) throw new EncryptedPdfError();
  return decryptorOf(opened, steps);
}

interface Encryption {
  key: Buffer;
  strings: CipherMethod;
  streams: CipherMethod;
}

function open(dictionary: Dictionary, fileId: Buffer, steps: Steps): Encryption {
  steps.spend(stepsPerOpening);
  const version = dictionary.number('V', 0);
  const revision = dictionary.number('R', 0);
  if (dictionary.name('Filter') !== 'Standard') throw new EncryptedPdfError();
  const { strings, streams } = methodsOf(dictionary, version);
  const isKnown = [strings, streams].every((method) => method === 'none' || (method === 'aes256') === revision >= 5);
  if (!isKnown || revision < 2 || revision > 6) throw new EncryptedPdfError();
  const bits = version === 1 ? 40 : version === 4 ? 128 : dictionary.number('Length', 40);
  const facts: EncryptionFacts = {
    revision,
    keyLength: Math.min(16, Math.max(5, Math.trunc(bits / 8))),
    permissions: dictionary.number('P', 0),
    ownerHash: dictionary.string('O'),
    userHash: dictionary.string('U'),
    userKey: dictionary.string('UE'),
    fileId,
    encryptsMetadata: dictionary.get('EncryptMetadata')?.kind !== 'false',
  };
  const key = openWithoutPassword(facts);
  if (key === null) throw new EncryptedPdfError();
  return { key, strings, streams };
}

function methodsOf(dictionary: Dictionary, version: number): { strings: CipherMethod; streams: CipherMethod } {
  if (version === 1 || version === 2) return { strings: 'rc4', streams: 'rc4' };
  if (version !== 4 && version !== 5) throw new EncryptedPdfError();
  const methodOf = (use: string): CipherMethod => {
    const filter = dictionary.name(use) ?? 'Identity';
    const method = methods[filter === 'Identity' ? filter : (dictionary.inner('CF').inner(filter).name('CFM') ?? '')];
    if (method === undefined) throw new EncryptedPdfError();
    return method;
  };
  return { strings: methodOf('StrF'), streams: methodOf('StmF') };
}

function isSame(left: Encryption, right: Encryption): boolean {
  return left.key.equals(right.key) && left.strings === right.strings && left.streams === right.streams;
}

function decryptorOf({ key, strings, streams }: Encryption, steps: Steps): Decryptor {
  const read = (method: CipherMethod, data: Buffer, { number, generation }: ObjectId): Buffer => {
    if (method === 'none') return data;
    steps.spend(stepsPerCipher + data.length);
    return decrypt(method, keyOfObject(method, key, number, generation), data);
  };
  return {
    readString: (raw, of) => read(strings, decodeString(raw), of),
    readStream: (data, of) => read(streams, data, of),
  };
}

/** A dictionary whose values are direct, and whose keys occur once: programs read it alike. */
class Dictionary {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, PdfValue>();
  readonly #steps: Steps;

  constructor(bytes: Buffer, start: number, steps: Steps) {
    this.#bytes = bytes;
    this.#steps = steps;
    const value = readAt(bytes, start, steps);
    if (value.kind !== 'dictionary') throw new EncryptedPdfError();
    for (const [key, inner] of value.entries) {
      if (this.#entries.has(key)) throw new EncryptedPdfError();
      this.#entries.set(key, inner);
    }
  }

  get(key: string): PdfValue | undefined {
    return this.#entries.get(key);
  }

  inner(key: string): Dictionary {
    const value = this.get(key);
    if (value?.kind !== 'dictionary') throw new EncryptedPdfError();
    return new Dictionary(this.#bytes, value.start, this.#steps);
  }

  name(key: string): string | null {
    const value = this.get(key);
    if (value !== undefined && value.kind !== 'name') throw new EncryptedPdfError();
    return value?.name ?? null;
  }

  number(key: string, fallback: number): number {
    const value = this.get(key);
    if (value === undefined) return fallback;
    if (value.kind !== 'number' || !Number.isInteger(value.number)) throw new EncryptedPdfError();
    return value.number;
  }

  string(key: string): Buffer {
    const value = this.get(key);
    if (value === undefined) return Buffer.alloc(0);
    return this.#stringOf(value);
  }

  /** Returns the first string of an array; empty without one. */
  firstOf(key: string): Buffer {
    const value = this.get(key);
    if (value === undefined) return Buffer.alloc(0);
    if (value.kind !== 'array') throw new EncryptedPdfError();
    return this.#stringOf(readAt(this.#bytes, value.start + 1, this.#steps));
  }

  #stringOf(value: PdfValue): Buffer {
    if (value.kind !== 'string') throw new EncryptedPdfError();
    return decodeString(this.#bytes.subarray(value.start, value.end));
  }
}

function readAt(bytes: Buffer, start: number, steps: Steps): PdfValue {
  try {
    return readValue(bytes, start, steps).value;
  } catch (error) {
    throw error instanceof MalformedValueError ? new EncryptedPdfError() : error;
  }
}
