import type { Json } from './client.ts';
import { DemoFailure } from './failures.ts';

/** One event of the live stream. */
export interface LiveEvent {
  id: string;
  event: string;
  data: Json;
}

/** Time limit for an event. */
const timeoutMs = 60_000;

/** Reads the live stream of an account, like a browser's `EventSource`. */
export class LiveStream {
  private readonly reader: AsyncIterator<LiveEvent>;
  private readonly closing: AbortController;

  private constructor(reader: AsyncIterator<LiveEvent>, closing: AbortController) {
    this.reader = reader;
    this.closing = closing;
  }

  /** @param open requests the stream; ends with the signal @throws {DemoFailure} */
  static async open(open: (signal: AbortSignal) => Promise<Response>): Promise<LiveStream> {
    const closing = new AbortController();
    const response = await open(closing.signal);
    if (response.body === null) throw new DemoFailure('the live stream has no body');
    return new LiveStream(eventsOf(response.body), closing);
  }

  /** Waits for the next matching event and skips others. @param what names it in the error @throws {DemoFailure} */
  async next(what: string, matches: (event: LiveEvent) => boolean): Promise<LiveEvent> {
    const timer = setTimeout(() => this.close(), timeoutMs);
    try {
      for (;;) {
        const { done, value } = await this.reader.next();
        if (done) break;
        if (matches(value)) return value;
      }
    } catch (error) {
      if (!this.closing.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    throw new DemoFailure(`the live stream did not send ${what}`);
  }

  close(): void {
    this.closing.abort();
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
      const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
      // Skip comments, which only keep the connection alive.
      if (id !== undefined && event !== undefined && data !== undefined) yield { id, event, data: JSON.parse(data) as Json };
    }
  }
}
