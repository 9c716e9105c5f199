import { Readable, Transform, type TransformCallback } from 'node:stream';
import { StorageSizeError } from './storage.ts';

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
