import { Readable } from 'node:stream';
import type { StreamViewer } from '../../../platform/runtime/live-streams.ts';

/** Why a stream ended. `client`: the client disconnected. */
type StreamEnd = 'client' | 'session' | 'stalled' | 'shutdown';

/** Bytes buffered here for a client that does not read; its connection buffers as many again. */
const bufferBytes = 16 * 1024;
/** Time for a stream's last bytes to be sent, milliseconds. */
const drainMs = 1_000;

/** Bounds of the random delay after which a client reconnects, milliseconds: thousands of clients must not return at once. */
const reconnectDelay = { leastMs: 500, mostMs: 3_000 };

/** Tells a client that the process stops, and after how long to reconnect. */
function reconnectHint(): string {
  const { leastMs, mostMs } = reconnectDelay;
  return `retry: ${Math.round(leastMs + Math.random() * (mostMs - leastMs))}\nevent: reconnect\ndata: {}\n\n`;
}

/**
 * One client's stream. Accepts events while its client reads, then none until the buffer drains, and resumes from its position.
 * So a slow client costs a few kilobytes and misses nothing.
 */
export class EventStream extends Readable {
  readonly viewer: StreamViewer;
  readonly openedAt = performance.now();
  /** Number of the last event it accepted; null before it begins. */
  #position: number | null = null;
  #stalledAt: number | null = null;
  #commentedAt = performance.now();
  #sent = 0;
  #end: StreamEnd = 'client';
  #isOver = false;
  readonly #drained: (stream: EventStream) => void;

  /** @param drained called when the client reads again after a pause */
  constructor(viewer: StreamViewer, drained: (stream: EventStream) => void) {
    super({ highWaterMark: bufferBytes, read: () => this.#read() });
    this.viewer = viewer;
    this.#drained = drained;
  }

  get sent(): number {
    return this.#sent;
  }

  get endedBy(): StreamEnd {
    return this.#end;
  }

  /** Number after which it accepts events; null while it accepts none. */
  get acceptsAfter(): number | null {
    return this.#isAccepting ? this.#position : null;
  }

  get #isAccepting(): boolean {
    return this.#stalledAt === null && !this.#isOver && !this.destroyed;
  }

  /** Milliseconds for which the client has read nothing although data waits. */
  get stalledFor(): number {
    return this.#stalledAt === null ? 0 : performance.now() - this.#stalledAt;
  }

  /** @param head sent first */
  begin(position: number, head: string): void {
    this.#position = position;
    this.#write(head);
  }

  /** @returns whether it accepted the event: false for one it already has, and while the client does not read */
  send(sequence: number, text: string | null): boolean {
    if (this.acceptsAfter === null || sequence <= this.acceptsAfter) return false;
    this.#position = sequence;
    if (text === null) return false;
    this.#sent += 1;
    this.#write(text);
    return true;
  }

  /** Sends a comment, so that the client and proxies keep the connection open. */
  comment(everyMs: number): void {
    const present = performance.now();
    if (present - this.#commentedAt < everyMs) return;
    this.#commentedAt = present;
    if (this.acceptsAfter !== null) this.#write(': live\n\n');
  }

  /** Ends the stream after buffered data is sent; at once when the client does not read or has no answer yet. */
  finish(why: StreamEnd): void {
    if (this.#isOver || this.destroyed) return;
    this.#isOver = true;
    this.#end = why;
    if (this.#stalledAt !== null || this.#position === null) {
      this.destroy();
      return;
    }
    if (why === 'shutdown') this.push(reconnectHint());
    this.push(null);
    const timer = setTimeout(() => this.destroy(), drainMs);
    this.once('close', () => clearTimeout(timer));
  }

  #write(text: string): void {
    if (!this.push(text)) this.#stalledAt = performance.now();
  }

  #read(): void {
    if (this.#stalledAt === null || this.#isOver) return;
    this.#stalledAt = null;
    this.#drained(this);
  }
}
