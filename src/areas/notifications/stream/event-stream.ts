import { Readable } from 'node:stream';
import type { StreamViewer } from '../../../platform/live-streams.ts';

/** Why a stream ended. `client`: it went away. */
export type StreamEnd = 'client' | 'session' | 'stalled' | 'shutdown';

/** Bytes that wait here for a client that does not take them; as many again wait in its connection. */
const mostWaiting = 16 * 1024;
/** What was sent before its end has so long to leave. */
const farewellMs = 1_000;

/**
 * One client's stream. It takes what it is told as long as its client reads; then it is told nothing more, and from where it stopped once the client
 * has read what waits. So a slow client costs a few kilobytes and misses nothing.
 */
export class EventStream extends Readable {
  readonly viewer: StreamViewer;
  readonly openedAt = performance.now();
  /** Of the last event it took; null until it has begun. */
  #position: number | null = null;
  #stalledAt: number | null = null;
  #commentedAt = performance.now();
  #sent = 0;
  #end: StreamEnd = 'client';
  #isOver = false;
  readonly #drained: (stream: EventStream) => void;

  /** @param drained told when the client has read on, after it had not */
  constructor(viewer: StreamViewer, drained: (stream: EventStream) => void) {
    super({ highWaterMark: mostWaiting, read: () => this.#read() });
    this.viewer = viewer;
    this.#drained = drained;
  }

  get sent(): number {
    return this.#sent;
  }

  get endedBy(): StreamEnd {
    return this.#end;
  }

  /** Behind which number it wants to be told; null while it takes nothing. */
  get wants(): number | null {
    return this.#takes ? this.#position : null;
  }

  get #takes(): boolean {
    return this.#stalledAt === null && !this.#isOver && !this.destroyed;
  }

  /** How long nothing was read by its client, in milliseconds, while something waits for it. */
  get stalledFor(): number {
    return this.#stalledAt === null ? 0 : performance.now() - this.#stalledAt;
  }

  /** @param head is sent before all else */
  begin(position: number, head: string): void {
    this.#position = position;
    this.#write(head);
  }

  /** @returns whether it took the event: not one that it has, nor any while its client does not read */
  tell(sequence: number, text: string | null): boolean {
    if (this.wants === null || sequence <= this.wants) return false;
    this.#position = sequence;
    if (text === null) return false;
    this.#sent += 1;
    this.#write(text);
    return true;
  }

  /** Lets the client, and whatever stands between, know that the stream lives. */
  comment(everyMs: number): void {
    const present = performance.now();
    if (present - this.#commentedAt < everyMs) return;
    this.#commentedAt = present;
    if (this.wants !== null) this.#write(': live\n\n');
  }

  /** Ends it after what waits was sent; at once where the client reads nothing, or was not answered yet. */
  finish(why: StreamEnd): void {
    if (this.#isOver || this.destroyed) return;
    this.#isOver = true;
    this.#end = why;
    if (this.#stalledAt !== null || this.#position === null) {
      this.destroy();
      return;
    }
    this.push(null);
    const cut = setTimeout(() => this.destroy(), farewellMs);
    this.once('close', () => clearTimeout(cut));
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
