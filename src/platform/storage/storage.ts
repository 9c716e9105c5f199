import { Readable, Transform, type TransformCallback } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { errorName } from '../logging/error-code.ts';

/** First and last byte, both inclusive, as in an HTTP range. */
export type ByteRange = { start: number; end: number };

/** File storage: objects by key, outside any public folder. */
export interface Storage {
  /**
   * Stores an object atomically; replaces an existing one.
   * @throws {StorageSizeError} when the source does not have `size` bytes; nothing is stored
   */
  put(key: string, source: Readable | Buffer, facts: { contentType: string; size: number }): Promise<void>;
  /** @throws {StorageObjectMissingError} before the first byte; {RangeError} when the range is outside the object */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Returns the size in bytes; null without such an object. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Deletes an object, if it exists. */
  delete(key: string): Promise<void>;
  /**
   * Checks that the storage is usable. After two checks in a row without an answer from S3, all operations are refused at once, until it
   * answers one.
   * @throws {StorageUnavailableError}
   */
  check(): Promise<void>;
}

/** The object does not exist. */
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

/** The storage is unavailable. */
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

/** @throws {RangeError} when a range is empty, negative or not an integer */
export function assertByteRange(range: ByteRange, size = Number.MAX_SAFE_INTEGER): void {
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`bytes ${start}-${end} are not within the object`);
  }
}

/** Passes a source through; fails unless it has exactly the announced number of bytes. */
export function countedSource(key: string, source: Readable | Buffer, size: number): Readable {
  let count = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      count += chunk.length;
      done(count > size ? new StorageSizeError(key, size, count) : null, chunk);
    },
    flush(done: TransformCallback) {
      done(count === size ? null : new StorageSizeError(key, size, count));
    },
  });
  const input = Buffer.isBuffer(source) ? Readable.from([source], { objectMode: false }) : source;
  // `pipe` alone would not end the counter when the upload is interrupted.
  input.once('error', (error) => counter.destroy(error));
  input.once('close', () => {
    if (!input.readableEnded) counter.destroy(new StorageSizeError(key, size, count));
  });
  counter.once('close', () => input.destroy());
  // The counter's reader receives the error. Until one attaches, the error must not end the process.
  counter.on('error', () => undefined);
  return input.pipe(counter);
}
