import { setTimeout } from 'node:timers/promises';
import { type StreamedEvent, TestStream } from '../support/event-stream.ts';
import type { Caller } from './auditor/exchange.ts';

const pauseMs = 100;

/** A browser that keeps the live stream of its account open, and opens it again where it left off, as `EventSource` does (NOT-5). */
export class Listener {
  readonly by: Caller;
  /** What the auditor has followed: the newest notification before the stream, events that were looked at, and messages that were sent. */
  followed: { before: number | null; events: number; messages: number | null } = { before: null, events: 0, messages: null };
  /** The registry gives the stream to this session no more. */
  isRefused = false;
  readonly #url: string;
  readonly #cookie: string;
  readonly #streams: TestStream[] = [];
  #isClosed = false;

  private constructor(registryUrl: string, by: Caller, cookie: string) {
    this.by = by;
    this.#url = `${registryUrl}/api/v1/notifications/stream`;
    this.#cookie = cookie;
  }

  /** Opens the stream of a session. @returns null when it is refused */
  static async open(registryUrl: string, by: Caller, cookie: string): Promise<Listener | null> {
    const listener = new Listener(registryUrl, by, cookie);
    if (!(await listener.#connect())) return null;
    void listener.#listen();
    return listener;
  }

  /** Everything that was streamed so far, in its order. */
  get heard(): StreamedEvent[] {
    return this.#streams.flatMap(({ events }) => events);
  }

  /** The numbers of what each connection streamed, in its order. */
  get sequences(): number[][] {
    return this.#streams.map(({ events }) => events.map(({ id }) => id));
  }

  close(): void {
    this.#isClosed = true;
    this.#streams.at(-1)?.drop();
  }

  async #listen(): Promise<void> {
    while (!this.#isClosed) {
      await setTimeout(pauseMs);
      if (this.#streams.at(-1)?.isEnded !== false && !this.#isClosed && !(await this.#connect())) return;
    }
  }

  /** @returns false when the session has no stream any more; an API that is away is asked again later */
  async #connect(): Promise<boolean> {
    const controller = new AbortController();
    const lastId = this.#streams.findLast((stream) => stream.lastId !== '')?.lastId;
    const headers = { accept: 'text/event-stream', cookie: this.#cookie, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    try {
      const response = await fetch(this.#url, { signal: controller.signal, headers });
      if (response.status === 200) this.#streams.push(new TestStream(response, controller));
      else controller.abort();
      this.isRefused = response.status === 401 || response.status === 403;
    } catch {
      // It is being started again.
    }
    return !this.isRefused;
  }
}
