import { fstatSync, mkdirSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const largestBytes = 20 * 1024 * 1024;
const warningLevel = 40;

/** The log of one process of the stack: `<DATA_DIR>/logs/<name>.log`. A large one is kept as `<name>.log.1` and a new one begins. */
export class LogFile {
  readonly path: string;
  readonly fd: number;
  constructor(path: string) {
    // Logs hold addresses and ids: for the owner of the stack alone.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > largestBytes) renameSync(path, `${path}.1`);
    this.path = path;
    this.fd = openSync(path, 'a+');
  }

  /** Where the next line will stand; give it to `textSince` to read what was written after this moment. */
  get position(): number {
    return fstatSync(this.fd).size;
  }

  write(line: string): void {
    writeSync(this.fd, `${line}\n`);
  }

  /** The last 64 kB written since that position. */
  textSince(position: number): string {
    const end = this.position;
    const start = Math.max(position, end - 65_536);
    const bytes = Buffer.alloc(Math.max(0, end - start));
    readSync(this.fd, bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  }
}

const levelNames: Record<string, number> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };

/** A JSON log line reduced to what a person reads at the terminal; `undefined` when the line is not a JSON log line. */
export function readLogLine(line: string): { level: number; text: string } | undefined {
  if (!line.startsWith('{')) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof record !== 'object' || record === null || !('level' in record)) return undefined;
  const level = typeof record.level === 'number' ? record.level : (levelNames[String(record.level)] ?? 0);
  const message = 'msg' in record && typeof record.msg === 'string' ? record.msg : '';
  const error =
    'err' in record && typeof record.err === 'object' && record.err !== null && 'message' in record.err ? String(record.err.message) : '';
  const text = error === '' || message.includes(error) ? message : message === '' ? error : `${message}: ${error}`;
  return { level, text: text.split('\n')[0] ?? '' };
}

/** The line for the terminal, or `undefined` when the log line is of no interest there: below a warning, or empty. */
export function noticeOf(line: string): string | undefined {
  const record = readLogLine(line);
  if (record) return record.level >= warningLevel ? `${record.level > warningLevel ? 'ERROR' : 'WARN'} ${record.text}` : undefined;
  return undefined;
}

/** The one line that says best why a process ended: its last error record, else its last `SomeError: ...`, else its last words. */
export function reasonIn(output: string): string | undefined {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
  const record = lines.map(readLogLine).findLast((entry) => entry !== undefined && entry.level > warningLevel);
  if (record && record.text !== '') return record.text;
  const spoken = lines.filter((line) => !/^\s+at |^Node\.js v|^\s*[{}^]/.test(line) && readLogLine(line) === undefined);
  return spoken.findLast((line) => /^\w*(Error|FATAL|PANIC)\b/.test(line) || /\b(FATAL|PANIC):/.test(line)) ?? spoken.at(-1);
}
