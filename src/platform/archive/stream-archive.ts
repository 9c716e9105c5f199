import { once } from 'node:events';
import { PassThrough, type Readable, Transform } from 'node:stream';

/** A file in an archive. `name`: path with slashes; letters, digits, hyphens, underscores and dots. */
export type ArchiveEntry =
  | { name: string; bytes: Buffer }
  /** Text of any length; it is compressed. */
  | { name: string; content: Readable };

export const zipMime = 'application/zip';

/**
 * Streams a ZIP.
 *
 * Reads the next entry after the client has received the previous one, so one or two are in memory. Stores bytes uncompressed, because
 * pictures and spreadsheets are compressed already; their size and checksum precede them, so all programs can read them. A failure destroys
 * the stream, so that the client does not mistake a part for the whole.
 * @param at modification time of the entries
 */
export async function streamArchive(entries: AsyncIterable<ArchiveEntry>, at: Date): Promise<Readable> {
  // Loads the library with the first archive.

  const { ZipArchive } = await import('archiver');
  const archive = new ZipArchive({ store: true });
  const output = new PassThrough();
  let sent = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      done(null, chunk);
      counter.emit('sent');
    },
  });
  const aborted = new AbortController();
  const fail = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)));
  output.once('close', () => {
    aborted.abort();
    archive.abort();
    counter.destroy();
  });
  // The reader receives the error. Until it attaches, the error must not end the process.
  output.on('error', () => undefined);
  archive.on('error', fail);
  archive.pipe(counter).pipe(output);

  const untilSent = async (bytes: number) => {
    for (;;) {
      if (sent >= bytes) return;
      await once(counter, 'sent', { signal: aborted.signal });
    }
  };
  const write = async () => {
    let appended = 0;
    for await (const entry of entries) {
      if (aborted.signal.aborted) return;
      const entered = once(archive, 'entry', { signal: aborted.signal });
      const isText = 'content' in entry;
      archive.append(isText ? entry.content : entry.bytes, { name: entry.name, date: at, store: !isText });
      await entered;
      if (isText) {
        // Its size in the archive is known only now.
        appended = sent;
        continue;
      }
      appended += entry.bytes.length;
      // Wait, because the library buffers unread data without limit.
      await untilSent(appended);
    }
    await archive.finalize();
  };
  write().catch((error: unknown) => {
    if (!aborted.signal.aborted) fail(error);
  });
  return output;
}
