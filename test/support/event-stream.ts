import type { TestClient } from './client.ts';
import { waitFor } from './wait-for.ts';

/** An event as a browser would hand it to its page. */
export interface StreamedEvent {
  id: number;
  event: string;
  // A test reads events like a client written in JavaScript does; every field it touches is asserted.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

/** A live stream as a client reads it (the format of server-sent events). */
export class TestStream {
  readonly response: Response;
  readonly events: StreamedEvent[] = [];
  readonly comments: string[] = [];
  /** What a browser would send as `Last-Event-ID`. */
  lastId = '';
  isEnded = false;
  /** Told of each event as it comes. */
  onEvent: (() => void) | null = null;
  readonly #controller: AbortController;
  #rest = '';

  constructor(response: Response, controller: AbortController) {
    this.response = response;
    this.#controller = controller;
    void this.#read();
  }

  /** Waits until there are so many events. */
  has(count: number): Promise<StreamedEvent[]> {
    return waitFor(
      () => this.events,
      (events) => events.length >= count,
      `${count} events`,
    );
  }

  async ended(deadlineMs?: number): Promise<void> {
    await waitFor(
      () => this.isEnded,
      (isEnded) => isEnded,
      'the end of the stream',
      deadlineMs,
    );
  }

  /** Goes away. */
  drop(): void {
    this.#controller.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) this.#take(decoder.decode(chunk, { stream: true }));
    } catch {
      // Cut off, by either side.
    }
    this.isEnded = true;
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#takeBlock(block);
  }

  #takeBlock(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const at = line.indexOf(':');
      if (at === 0) this.comments.push(line);
      else fields.set(line.slice(0, at), line.slice(at + 2));
    }
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({ id: Number(this.lastId), event: fields.get('event') ?? 'message', data: JSON.parse(data) });
    this.onEvent?.();
  }
}

/** Opens the stream of the signed-in account; fails when it is refused. */
export async function openStream(client: TestClient, lastEventId?: string | number): Promise<TestStream> {
  const controller = new AbortController();
  const response = await fetch(`${client.baseUrl}/api/v1/notifications/stream`, {
    signal: controller.signal,
    headers: {
      accept: 'text/event-stream',
      cookie: client.cookie ?? '',
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
  });
  if (response.status !== 200) throw new Error(`expected a stream, got ${response.status}: ${await response.text()}`);
  return new TestStream(response, controller);
}
