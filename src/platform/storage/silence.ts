import { Readable } from 'node:stream';
import { StorageUnavailableError } from './storage.ts';

/**
 * Limits the time of work. Aborts its signal and rejects at once, even if the work ignores the signal.
 * @throws {StorageUnavailableError} after the time limit
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
 * Passes an object through; fails when the storage is silent in the middle. Counts only waiting for the storage, not for a slow client.
 * @param ms between two chunks
 */
export function withSilenceLimit(source: Readable, ms: number): Readable {
  const output = Readable.from(chunks(source, ms), { objectMode: false, highWaterMark: source.readableHighWaterMark });
  // A reader that disconnects ends the source at once, not at its next chunk.
  output.once('close', () => source.destroy());
  return output;
}

async function* chunks(source: Readable, ms: number): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const timer = setTimeout(() => {
      source.destroy(new StorageUnavailableError(`the storage sent no data for ${ms} ms in the middle of an object`));
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
