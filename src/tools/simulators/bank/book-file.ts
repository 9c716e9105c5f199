import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { joinWrites, readStored } from '../simulator.ts';
import type { BankRecord } from './book.ts';

const formatVersion = 2;

/** Stores the simulator's records across restarts: one line for each change, the last one counts. The next start removes outdated lines. */
export interface BookFile {
  /** Resolves when the current record is on disk. */
  save(record: BankRecord): Promise<void>;
  close(): Promise<void>;
}

/** Writes the current records to a new file and opens it for changes. */
export async function openBookFile(path: string, records: readonly BankRecord[]): Promise<BookFile> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  await file.writeFile([{ version: formatVersion }, ...records].map(asLine).join(''));
  await file.sync();
  await rename(temporary, path);
  let waiting: string[] = [];
  const write = joinWrites(async () => {
    const lines = waiting;
    waiting = [];
    try {
      await file.appendFile(lines.join(''));
      await file.datasync();
    } catch (error) {
      // Repeat them with the next change, after a partly written line.
      waiting.unshift('\n', ...lines);
      throw error;
    }
  });
  let written: Promise<void> = Promise.resolve();
  return {
    save(record) {
      waiting.push(asLine(record));
      return (written = write());
    },
    close: () => written.finally(() => file.close()),
  };
}

function asLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * Reads the stored records.
 * @throws {Error} when the file has another format, so that payments are not lost silently
 */
export async function readBook(path: string): Promise<BankRecord[]> {
  const text = await readStored(path);
  if (text === null) return [];
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
