import { z } from 'zod';
import { fstatSync, mkdirSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const largestBytes = 20 * 1024 * 1024;
const warningLevel = 40;

/** The log of one process of the stack: `<DATA_DIR>/logs/<name>.log`. A large file is renamed to `<name>.log.1`. */
export class LogFile {
  readonly path: string;
  readonly fd: number;
  constructor(path: string) {
    // Logs contain addresses and ids, so only the owner may read them.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > largestBytes) renameSync(path, `${path}.1`);
    this.path = path;
    this.fd = openSync(path, 'a+');
  }

  /** Position of the next line, for `textSince`. */
  get position(): number {
    return fstatSync(this.fd).size;
  }

  write(line: string): void {
    writeSync(this.fd, `${line}\n`);
  }

  /** Returns the last 64 kB written since a position. */
  textSince(position: number): string {
    const end = this.position;
    const start = Math.max(position, end - 65_536);
    const bytes = Buffer.alloc(Math.max(0, end - start));
    readSync(this.fd, bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  }
}

const levelNames: Record<string, number> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };

const logRecord = z.looseObject({
  level: z.union([z.number(), z.string().transform((name) => levelNames[name] ?? 0)]),
  msg: z.string().catch(''),
  err: z.object({ message: z.string() }).catch({ message: '' }),
});

/** Reduces a JSON log line to its level and message; `undefined` for other lines. */
function readLogLine(line: string): { level: number; text: string } | undefined {
  if (!line.startsWith('{')) return undefined;
  let record: z.output<typeof logRecord> | undefined;
  try {
    record = logRecord.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
  if (record === undefined) return undefined;
  const { level, msg, err } = record;
  const text = err.message === '' || msg.includes(err.message) ? msg : msg === '' ? err.message : `${msg}: ${err.message}`;
  return { level, text: text.split('\n')[0] ?? '' };
}

/** Returns the line for the terminal; `undefined` below a warning. */
export function noticeOf(line: string): string | undefined {
  const record = readLogLine(line);
  return record && record.level >= warningLevel ? `${record.level > warningLevel ? 'ERROR' : 'WARN'} ${record.text}` : undefined;
}

/** Returns the line that best explains why a process ended: its last error record, else its last `SomeError: ...`, else its last line. */
export function reasonIn(output: string): string | undefined {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
  const record = lines.map(readLogLine).findLast((entry) => entry !== undefined && entry.level > warningLevel);
  if (record && record.text !== '') return record.text;
  const plainLines = lines.filter((line) => !/^\s+at |^Node\.js v|^\s*[{}^]/.test(line) && readLogLine(line) === undefined);
  return plainLines.findLast((line) => /^\w*(Error|FATAL|PANIC)\b/.test(line) || /\b(FATAL|PANIC):/.test(line)) ?? plainLines.at(-1);
}
