import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import type { BankRecord } from './book.ts';

const formatVersion = 1;

/** The simulator's memory between two starts: one JSON file, replaced as a whole. */
export class BookFile {
  readonly #path: string;
  readonly #records: () => BankRecord[];
  #writing: Promise<void> | null = null;
  #queued: Promise<void> | null = null;

  constructor(path: string, records: () => BankRecord[]) {
    this.#path = path;
    this.#records = records;
  }

  /** @throws {Error} when the file is there and is not ours: forgetting payments silently would be worse. */
  static async read(path: string): Promise<BankRecord[]> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
    const content = JSON.parse(text) as { version?: unknown; records?: unknown };
    if (content.version !== formatVersion || !Array.isArray(content.records)) {
      throw new Error(`${path} is not the bank simulator's file (version ${formatVersion} expected); remove it to start anew`);
    }
    return content.records as BankRecord[];
  }

  /** Resolves when what is now in the book lies on disk; calls made while a write runs share the next one. */
  save(): Promise<void> {
    if (!this.#writing) return this.#start();
    this.#queued ??= this.#writing.then(
      () => this.#next(),
      () => this.#next(),
    );
    return this.#queued;
  }

  #next(): Promise<void> {
    this.#queued = null;
    return this.#start();
  }

  #start(): Promise<void> {
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const temporary = `${this.#path}.tmp`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify({ version: formatVersion, records: this.#records() }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path);
  }
}
