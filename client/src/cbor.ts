import { type Bytes, InvalidToken } from './bytes.ts';

export type CborMap = ReadonlyMap<number | string, CborValue>;
export type CborValue = number | string | boolean | null | Bytes | readonly CborValue[] | CborMap;

const maxDepth = 6;
const maxItems = 256;

/**
 * Decodes one CBOR item (RFC 8949) of the subset that the registry issues: integers, byte and text strings, arrays, maps, true, false, null.
 *
 * Refuses tags, floats, indefinite lengths, lengths that are not the shortest, repeated keys and bytes after the item. Depth and number of
 * items are limited, and a length is compared with the remaining bytes before anything is allocated.
 *
 * @throws {InvalidToken}
 */
export function decodeCbor(bytes: Bytes): CborValue {
  const reader = new Reader(bytes);
  const value = reader.readItem(0);
  if (!reader.isAtEnd) throw new InvalidToken('bytes after the CBOR item');
  return value;
}

/** Encodes the head of a byte string, a text or an array: its type and length. */
export function encodeHead(major: number, length: number): Bytes {
  const type = major << 5;
  if (length < 24) return Uint8Array.of(type | length);
  if (length < 0x100) return Uint8Array.of(type | 24, length);
  if (length < 0x1_0000) return Uint8Array.of(type | 25, length >> 8, length & 0xff);
  return Uint8Array.of(type | 26, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class Reader {
  readonly #bytes: Bytes;
  readonly #view: DataView;
  #at = 0;
  #itemsLeft = maxItems;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  readItem(depth: number): CborValue {
    this.#itemsLeft -= 1;
    if (depth > maxDepth || this.#itemsLeft < 0) throw new InvalidToken('CBOR is too deep or too long');
    const initial = this.#readUint(1);
    const major = initial >> 5;
    const info = initial & 31;
    if (major === 7) return readSimple(info);
    const argument = this.#readArgument(info);
    switch (major) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 2:
        return this.#take(argument);
      case 3:
        return this.#readText(argument);
      case 4:
        return this.#readArray(argument, depth);
      case 5:
        return this.#readMap(argument, depth);
      default:
        throw new InvalidToken('unexpected CBOR tag');
    }
  }

  #readArgument(info: number): number {
    if (info < 24) return info;
    if (info > 27) throw new InvalidToken('indefinite or reserved CBOR length');
    const size = 1 << (info - 24);
    const value = this.#readUint(size);
    const smallest = size === 1 ? 24 : 2 ** (size * 4);
    if (value < smallest || value > Number.MAX_SAFE_INTEGER) throw new InvalidToken('CBOR number is not the shortest or too large');
    return value;
  }

  #readUint(size: number): number {
    const at = this.#at;
    if (at + size > this.#bytes.length) throw new InvalidToken('CBOR is cut off');
    this.#at += size;
    if (size === 1) return this.#view.getUint8(at);
    if (size === 2) return this.#view.getUint16(at);
    if (size === 4) return this.#view.getUint32(at);
    return this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
  }

  #take(length: number): Bytes {
    if (length > this.#bytes.length - this.#at) throw new InvalidToken('CBOR is cut off');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #readText(length: number): string {
    const bytes = this.#take(length);
    try {
      return utf8.decode(bytes);
    } catch {
      throw new InvalidToken('CBOR text is not UTF-8');
    }
  }

  #readArray(length: number, depth: number): CborValue[] {
    if (length > this.#itemsLeft) throw new InvalidToken('CBOR is too long');
    return Array.from({ length }, () => this.readItem(depth + 1));
  }

  #readMap(length: number, depth: number): CborMap {
    if (length * 2 > this.#itemsLeft) throw new InvalidToken('CBOR is too long');
    const map = new Map<number | string, CborValue>();
    for (let entry = 0; entry < length; entry += 1) {
      const key = this.readItem(depth + 1);
      if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) throw new InvalidToken('invalid or repeated CBOR key');
      map.set(key, this.readItem(depth + 1));
    }
    return map;
  }
}

function readSimple(info: number): boolean | null {
  if (info === 20) return false;
  if (info === 21) return true;
  if (info === 22) return null;
  throw new InvalidToken('CBOR float, undefined or simple value');
}
