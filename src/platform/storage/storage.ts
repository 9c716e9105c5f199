import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { errorName } from '../error-code.ts';

/** First and last byte, both included, as in an HTTP range. */
export type ByteRange = { start: number; end: number };

/** Where files lie: a flat set of objects by key, outside any public folder. */
export interface Storage {
  /**
   * Stores an object as a whole or not at all; one that is there already is replaced.
   * @throws {StorageSizeError} when the source has not exactly `size` bytes; nothing is stored then.
   */
  put(key: string, source: Readable | Buffer, facts: { contentType: string; size: number }): Promise<void>;
  /** @throws {StorageObjectMissingError} before any byte is read; {RangeError} when the range is not within the object. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Size in bytes, or null when there is no such object. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Does nothing when there is no such object. */
  delete(key: string): Promise<void>;
  /** Whether the storage can be reached and used. @throws {StorageUnavailableError} */
  check(): Promise<void>;
}

/** There is no object by this key. */
export class StorageObjectMissingError extends Error {
  readonly key: string;
  constructor(key: string, options?: ErrorOptions) {
    super(`there is no object ${key} in the storage`, options);
    this.name = 'StorageObjectMissingError';
    this.key = key;
  }
}

/** Reads an object into memory; null when there is none. */
export async function readObject(storage: Pick<Storage, 'get'>, key: string): Promise<Buffer | null> {
  try {
    return await buffer(await storage.get(key));
  } catch (error) {
    if (errorName(error) === 'StorageObjectMissingError') return null;
    throw error;
  }
}

/** Fewer or more bytes than announced: a broken upload, never kept. */
export class StorageSizeError extends Error {
  constructor(key: string, announced: number, actual: number) {
    super(`${key} was announced with ${announced} bytes and has ${actual}`);
    this.name = 'StorageSizeError';
  }
}

/** The storage cannot be used now. */
export class StorageUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageUnavailableError';
  }
}

const keyPattern = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;

/**
 * Checks a storage key. The server makes all keys; this prevents path traversal, hidden files and names that file systems spell differently
 * in any case.
 * @throws {TypeError} for any other key
 */
export function assertStorageKey(key: string): void {
  if (key.length > 200 || !keyPattern.test(key) || key.includes('..')) throw new TypeError('not a storage key');
}

/** @throws {RangeError} when a range is empty, negative or not of whole bytes. */
export function assertByteRange(range: ByteRange, size = Number.MAX_SAFE_INTEGER): void {
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`bytes ${start}-${end} are not within the object`);
  }
}
