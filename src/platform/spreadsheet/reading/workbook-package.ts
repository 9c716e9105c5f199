import { posix } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { SheetRefusedError } from './refusal.ts';

/** Files of a workbook, with pictures and settings of printers. */
const maxEntries = 2000;
/** Bytes of all files as the directory declares them. */
const maxDeclaredBytes = 64 * 1024 ** 2;
/** Bytes of the files that are read. */
const maxReadBytes = 32 * 1024 ** 2;

/** A file of the zip may be named with other capitals than its reference (OPC 6.2.2.3). */
const keyOf = (name: string) => name.replace(/^\/+/, '').toLowerCase();

/** The files of a zip. Limits what is unpacked, by the bytes that come and not only by those that the directory declares. */
export class WorkbookPackage {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #readBytes = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /**
   * Reads the directory of a zip.
   * @throws {SheetRefusedError} when it is damaged, encrypted or too large
   */
  static async open(bytes: Buffer): Promise<WorkbookPackage> {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true }).catch(() => {
      throw new SheetRefusedError('unreadable');
    });
    if (zip.entryCount > maxEntries) throw new SheetRefusedError('unpacked');
    const entries = new Map<string, Entry>();
    let declaredBytes = 0;
    for await (const entry of entriesOf(zip)) {
      const key = keyOf(entry.fileName);
      // Two programs could read two different files by one name.
      if (entries.has(key)) throw new SheetRefusedError('unreadable');
      if (entry.isEncrypted()) throw new SheetRefusedError('encrypted');
      declaredBytes += entry.uncompressedSize;
      if (declaredBytes > maxDeclaredBytes) throw new SheetRefusedError('unpacked');
      entries.set(key, entry);
    }
    return new WorkbookPackage(zip, entries);
  }

  /** Names in small letters, without a leading slash. */
  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /**
   * Streams the bytes of a file.
   * @throws {SheetRefusedError} when the file is missing, damaged or too large
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(name));
    if (!entry) throw new SheetRefusedError('unreadable');
    if (this.#readBytes + entry.uncompressedSize > maxReadBytes) throw new SheetRefusedError('unpacked');
    let checksum = 0;
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
        const bytes = chunk as Buffer;
        this.#readBytes += bytes.length;
        if (this.#readBytes > maxReadBytes) throw new SheetRefusedError('unpacked');
        checksum = crc32(bytes, checksum);
        yield bytes;
      }
    } catch (error) {
      throw error instanceof SheetRefusedError ? error : new SheetRefusedError('unreadable');
    }
    // A changed byte gives other digits, not an unreadable file.
    if (checksum !== entry.crc32) throw new SheetRefusedError('unreadable');
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    throw error instanceof SheetRefusedError ? error : new SheetRefusedError('unreadable');
  }
}

/** Returns the name of the file that a part of the package refers to: absolute, or relative to the folder of the part. */
export function resolveTarget(part: string, target: string): string {
  return target.startsWith('/') ? keyOf(posix.normalize(target)) : keyOf(posix.join('/', posix.dirname(part), target));
}
