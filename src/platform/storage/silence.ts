import { Readable } from 'node:stream';
import { StorageUnavailableError } from './storage.ts';

/**
 * Limits the time of work. The signal tells it to stop; the caller continues at once, even if the work ignores the signal.
 * @throws {StorageUnavailableError} when the time is over
 */
export async function withinTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new StorageUnavailableError(`the storage did not answer within ${ms} ms`));
    abort.abort();
  }, ms);
  try {
    return await Promise.race([work(abort.signal), isOver]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * An object as it comes from the storage, ended with an error when the storage stops in the middle. Only waiting for the storage counts: a
 * reader may be as slow as it likes.
 * @param ms between two pieces
 */
export function watchedObject(source: Readable, ms: number): Readable {
  const watched = Readable.from(pieces(source, ms), { objectMode: false, highWaterMark: source.readableHighWaterMark });
  // A reader that disconnects ends the source at once, not at its next piece.
  watched.once('close', () => source.destroy());
  return watched;
}

async function* pieces(source: Readable, ms: number): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const timer = setTimeout(() => {
      source.destroy(new StorageUnavailableError(`the storage was silent for ${ms} ms in the middle of an object`));
    }, ms);
    let next: IteratorResult<Buffer>;
    try {
      next = await iterator.next();
    } finally {
      clearTimeout(timer);
    }
    if (next.done === true) return;
    yield next.value;
  }
}
