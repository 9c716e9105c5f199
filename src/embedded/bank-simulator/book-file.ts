import { mkdir, open, readFile, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import type { BankRecord } from './book.ts';

const formatVersion = 2;

/**
 * The simulator's memory between two starts: a line for each change of a record, the last one counts. A change costs the same
 * however many invoices there have been; what is outdated goes at the next start.
 */
export class BookFile {
  readonly #file: FileHandle;
  #waiting: string[] = [];
  #written: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * @returns the file, and the records it held
   * @throws {Error} when the file is there and is not ours: forgetting payments silently would be worse
   */
  static async open(path: string): Promise<{ file: BookFile; records: BankRecord[] }> {
    const records = await readRecords(path);
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${path}.tmp`;
    const file = await open(temporary, 'w', 0o600);
    await file.writeFile([{ version: formatVersion }, ...records].map(asLine).join(''));
    await file.sync();
    await rename(temporary, path);
    return { file: new BookFile(file), records };
  }

  /** Resolves when the record as it is now lies on disk; changes that come while others are written go together. */
  save(record: BankRecord): Promise<void> {
    this.#waiting.push(asLine(record));
    if (this.#waiting.length === 1) this.#written = this.#written.catch(() => undefined).then(() => this.#write());
    return this.#written;
  }

  async close(): Promise<void> {
    await this.#written.finally(() => this.#file.close());
  }

  async #write(): Promise<void> {
    const lines = this.#waiting.join('');
    this.#waiting = [];
    await this.#file.appendFile(lines);
    await this.#file.datasync();
  }
}

function asLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

async function readRecords(path: string): Promise<BankRecord[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  const [head = '', ...lines] = text.split('\n');
  const { version, records } = parseHead(head);
  // Once the whole book was one line, replaced with each change.
  if (version === 1 && Array.isArray(records)) return records as BankRecord[];
  if (version !== formatVersion) throw new Error(`${path} is not the bank simulator's file; remove it to start anew`);
  // What follows the last line's end was cut off in the middle of a write that nobody was told of.
  const latest = new Map<string, BankRecord>();
  for (const line of lines.slice(0, -1)) {
    const record = JSON.parse(line) as BankRecord;
    latest.delete(record.number);
    latest.set(record.number, record);
  }
  return [...latest.values()];
}

function parseHead(line: string): { version?: unknown; records?: unknown } {
  try {
    const head: unknown = JSON.parse(line);
    return typeof head === 'object' && head !== null ? head : {};
  } catch {
    return {};
  }
}
