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
 * A ZIP while it is written. The next entry is asked for when the reader has taken the one before, so one or two are held, whatever the size of
 * the whole; a reader that goes away ends it. Nothing is compressed: pictures and spreadsheets are already. Sizes and checksums stand
 * before each entry, so that every reader opens it. What fails on the way breaks the stream off, so nobody takes half an archive for the whole.
 * @param at when its entries are said to be made
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
  // Whoever reads it gets its error; until somebody does, it must not end the process.
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
      // The library holds whatever its reader has not taken, without limit.
      await untilTaken(given);
    }
    await archive.finalize();
  };
  write().catch((error: unknown) => {
    if (!gone.signal.aborted) fail(error);
  });
  return output;
}
