import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../platform/error-code.ts';
import type { BankRecord } from './book.ts';

const formatVersion = 2;

/** Stores the simulator's records across restarts: one line for each change, the last one counts. The next start removes outdated lines. */
export class BookFile {
  readonly #file: FileHandle;
  #waiting: string[] = [];
  #isQueued = false;
  #written: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Writes the current records to a new file and opens it for changes. */
  static async open(path: string, records: readonly BankRecord[]): Promise<BookFile> {
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${path}.tmp`;
    const file = await open(temporary, 'w', 0o600);
    await file.writeFile([{ version: formatVersion }, ...records].map(asLine).join(''));
    await file.sync();
    await rename(temporary, path);
    return new BookFile(file);
  }

  /** Resolves when the current record is on disk. Writes simultaneous changes together. */
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
      // Repeat them with the next change, after a partly written line.
      this.#waiting.unshift('\n', ...lines);
      throw error;
    }
  }
}

function asLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * Reads the stored records.
 * @throws {Error} when the file has another format, so that payments are not lost silently
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
  const { version } = parseLine(head);

  if (version !== formatVersion) throw new Error(`${path} is not the bank simulator's file; remove it to start with an empty bank`);
  const latest = new Map<string, BankRecord>();
  for (const line of lines) {
    const record = parseLine(line);
    // An incomplete line belongs to a change that was never acknowledged.
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
