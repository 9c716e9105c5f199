import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../platform/error-code.ts';
import type { BankRecord } from './book.ts';

const formatVersion = 2;

/**
 * The simulator's memory between two starts: a line for each change of a record, the last one counts. A change costs the same however many
 * invoices there have been; what is outdated goes at the next start.
 */
export class BookFile {
  readonly #file: FileHandle;
  #waiting: string[] = [];
  #isQueued = false;
  #written: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Writes the book anew without what is outdated, and goes on from there. */
  static async open(path: string, records: readonly BankRecord[]): Promise<BookFile> {
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${path}.tmp`;
    const file = await open(temporary, 'w', 0o600);
    await file.writeFile([{ version: formatVersion }, ...records].map(asLine).join(''));
    await file.sync();
    await rename(temporary, path);
    return new BookFile(file);
  }

  /** Resolves when the record as it is now lies on disk; changes that come while others are written go together. */
  save(record: BankRecord): Promise<void> {
    this.#waiting.push(asLine(record));
    if (!this.#isQueued) {
      this.#isQueued = true;
      this.#written = this.#written.catch(() => undefined).then(() => this.#write());
    }
    return this.#written;
  }

  async close(): Promise<void> {
    await this.#written.finally(() => this.#file.close());
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#isQueued = false;
    try {
      await this.#file.appendFile(lines.join(''));
      await this.#file.datasync();
    } catch (error) {
      // They go with the next change, after whatever part of them was written.
      this.#waiting.unshift('\n', ...lines);
      throw error;
    }
  }
}

function asLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * The records a book holds.
 * @throws {Error} when the file is there and is not ours: forgetting payments silently would be worse
 */
export async function readBook(path: string): Promise<BankRecord[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  const [head = '', ...lines] = text.split('\n');
  const { version, records } = parseLine(head);
  // Once the whole book was one line, replaced with each change.
  if (version === 1 && Array.isArray(records)) return records as BankRecord[];
  if (version !== formatVersion) throw new Error(`${path} is not the bank simulator's file; remove it to start anew`);
  const latest = new Map<string, BankRecord>();
  for (const line of lines) {
    const record = parseLine(line);
    // A truncated line belongs to a write that was never acknowledged.
    if (typeof record['number'] !== 'string') continue;
    latest.delete(record['number']);
    latest.set(record['number'], record as unknown as BankRecord);
  }
  return [...latest.values()];
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
