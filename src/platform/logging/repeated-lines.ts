import type { LogFn } from 'pino';

/** Period in which repeated lines are counted instead of written, milliseconds. */
const windowMs = 60_000;
/** Maximum kinds; above it, the oldest is evicted and its next line written again. */
const maxKinds = 500;

interface Kind {
  /** Lines that were counted and not written. */
  count: number;
  /** Writes the last line with the count. */
  writeLast: (count: number) => void;
  timer: NodeJS.Timeout;
}

type Write = (...args: Parameters<LogFn>) => void;

/**
 * Limits repeated log lines. Writes the first line with a message and cause at once, counts the others, and once a minute writes the last
 * with their number (`repeated`). Ignores numbers and ids in a cause. Always writes unexpected errors of requests (`err`), because a client
 * may report the id.
 */
export class RepeatedLines {
  readonly #kinds = new Map<string, Kind>();

  /** @param args arguments of the log: an object and a message, or a message */
  write(args: Parameters<LogFn>, write: Write): void {
    const [facts] = args as unknown[];
    if (isObject(facts) && 'err' in facts && 'request_id' in facts) {
      write(...args);
      return;
    }
    const key = keyOf(args);
    const known = this.#kinds.get(key);
    const writeLast = (count: number): void => write(...withCount(args, count));
    if (known) {
      known.count += 1;
      known.writeLast = writeLast;
      return;
    }
    const [oldest] = this.#kinds.keys();
    if (this.#kinds.size >= maxKinds && oldest !== undefined) this.#evict(oldest);
    this.#kinds.set(key, { count: 0, writeLast, timer: this.#scheduleCount(key) });
    write(...args);
  }

  /** Writes a repeated kind once a minute while it continues; then it counts as new. */
  #writeCount(key: string): void {
    const kind = this.#kinds.get(key);
    if (!kind) return;
    if (kind.count === 0) {
      this.#kinds.delete(key);
      return;
    }
    kind.writeLast(kind.count);
    kind.count = 0;
    kind.timer = this.#scheduleCount(key);
  }

  #scheduleCount(key: string): NodeJS.Timeout {
    return setTimeout(() => this.#writeCount(key), windowMs).unref();
  }

  #evict(key: string): void {
    const kind = this.#kinds.get(key);
    if (!kind) return;
    clearTimeout(kind.timer);
    this.#kinds.delete(key);
    if (kind.count > 0) kind.writeLast(kind.count);
  }
}

function withCount(args: Parameters<LogFn>, repeated: number): Parameters<LogFn> {
  const [first, ...rest]: unknown[] = args;
  const line: unknown[] = typeof first === 'object' && first !== null ? [{ ...first, repeated }, ...rest] : [{ repeated }, first, ...rest];
  return line as Parameters<LogFn>;
}

/** Returns message and cause, without numbers and ids. */
function keyOf(args: Parameters<LogFn>): string {
  const [first, second]: unknown[] = args;
  const facts = isObject(first) ? first : {};
  const message = typeof first === 'string' ? first : second;
  const meta = isObject(facts['meta']) ? facts['meta'] : {};
  const causes = [facts['cause'], facts['code'], facts['part'], meta['error'], meta['failure'], meta['activityType']];
  return [message, ...causes]
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)).slice(0, 500))
    .map((part) => part.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|\d+/gi, '#'))
    .join('\n');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
