import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../platform/error-code.ts';
import { type Memory, memorySchema } from './phonebook.ts';

/** Stores the simulator's memory across restarts in a small file, which each change replaces. Writes simultaneous changes together. */
export class MemoryFile {
  readonly #path: string;
  readonly #memory: Readonly<Memory>;
  #isQueued = false;
  #written: Promise<void> = Promise.resolve();

  constructor(path: string, memory: Readonly<Memory>) {
    this.#path = path;
    this.#memory = memory;
  }

  /** Resolves when the current memory is on disk. */
  save(): Promise<void> {
    if (!this.#isQueued) {
      this.#isQueued = true;
      this.#written = this.#written.catch(() => undefined).then(() => this.#write());
    }
    return this.#written;
  }

  async close(): Promise<void> {
    await this.#written.catch(() => undefined);
  }

  async #write(): Promise<void> {
    this.#isQueued = false;
    await mkdir(dirname(this.#path), { recursive: true });
    await writeFile(`${this.#path}.tmp`, JSON.stringify(this.#memory), { mode: 0o600 });
    await rename(`${this.#path}.tmp`, this.#path);
  }
}

/** @throws {Error} when the file has another format */
export async function readMemory(path: string): Promise<Memory | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    return memorySchema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} is not the file of the bot platform simulator; remove it to start with empty telephones`);
  }
}
