import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Bytes that were made piece by piece and are known now. */
export interface Spooled {
  /** Bytes. */
  size: number;
  sha256: string;
  /** All of them, from the first; may be read again. */
  open(): Readable;
}

/**
 * Lays a stream on the local disk, since its size and its hash must be known before it is stored. The file has no name any more when it is
 * written, so nothing is left of it wherever this process dies.
 * @param folder with room for all of it
 */
export async function spool<T>(source: Readable, work: (spooled: Spooled) => Promise<T>, folder = tmpdir()): Promise<T> {
  const path = join(folder, `registry-made-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    return await work({ size, sha256: hash.digest('hex'), open: () => file.createReadStream({ start: 0, autoClose: false }) });
  } finally {
    source.destroy();
    await file.close();
  }
}
