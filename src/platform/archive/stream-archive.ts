import { once } from 'node:events';
import { PassThrough, type Readable, Transform } from 'node:stream';

/** A file in an archive. */
export interface ArchiveEntry {
  /** With its folders, by slashes. Ours: letters, digits, hyphens, dots. */
  name: string;
  bytes: Buffer;
}

export const zipMime = 'application/zip';

/**
 * Streams a ZIP. Requests the next entry when the reader has taken the previous one, so one or two are in memory. A reader that disconnects
 * ends it. Compresses nothing, because pictures and spreadsheets are compressed. Sizes and checksums precede each entry, for all readers. A
 * failure breaks the stream off, so that the client does not take a part for the whole.
 * @param at modification time of the entries
 */
export async function streamArchive(entries: AsyncIterable<ArchiveEntry>, at: Date): Promise<Readable> {
  // Loaded with the first archive.
  const { ZipArchive } = await import('archiver');
  const archive = new ZipArchive({ store: true });
  const output = new PassThrough();
  let taken = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      taken += chunk.length;
      done(null, chunk);
      counter.emit('taken');
    },
  });
  const gone = new AbortController();
  const fail = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)));
  output.once('close', () => {
    gone.abort();
    archive.abort();
    counter.destroy();
  });
  // The reader gets the error; before it attaches, the error must not end the process.
  output.on('error', () => undefined);
  archive.on('error', fail);
  archive.pipe(counter).pipe(output);

  const untilTaken = async (bytes: number) => {
    for (;;) {
      if (taken >= bytes) return;
      await once(counter, 'taken', { signal: gone.signal });
    }
  };
  const write = async () => {
    let given = 0;
    for await (const { name, bytes } of entries) {
      if (gone.signal.aborted) return;
      const entered = once(archive, 'entry', { signal: gone.signal });
      archive.append(bytes, { name, date: at, store: true });
      await entered;
      given += bytes.length;
      // The library buffers unread data without limit.
      await untilTaken(given);
    }
    await archive.finalize();
  };
  write().catch((error: unknown) => {
    if (!gone.signal.aborted) fail(error);
  });
  return output;
}
