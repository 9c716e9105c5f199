import type { Json } from './client.ts';
import { DemoFailure } from './failures.ts';

/** One event of the live stream. */
export interface LiveEvent {
  id: string;
  event: string;
  data: Json;
}

/** Events arrive at once; after this time the event did not happen. */
const patienceMs = 60_000;

/** The live stream of an account, as a browser's `EventSource` reads it: nothing is asked for again and again. */
export class LiveStream {
  private readonly reader: AsyncIterator<LiveEvent>;
  private readonly closing: AbortController;

  private constructor(reader: AsyncIterator<LiveEvent>, closing: AbortController) {
    this.reader = reader;
    this.closing = closing;
  }

  /** @param open asks for the stream; aborts with the signal @throws {DemoFailure} */
  static async open(open: (signal: AbortSignal) => Promise<Response>): Promise<LiveStream> {
    const closing = new AbortController();
    const response = await open(closing.signal);
    if (response.body === null) throw new DemoFailure('the live stream has no body');
    return new LiveStream(eventsOf(response.body), closing);
  }

  /** The next event that fits; those before it are passed over. @param what names it in the failure @throws {DemoFailure} */
  async next(what: string, fits: (event: LiveEvent) => boolean): Promise<LiveEvent> {
    const timer = setTimeout(() => this.close(), patienceMs);
    try {
      for (;;) {
        const { done, value } = await this.reader.next();
        if (done) break;
        if (fits(value)) return value;
      }
    } catch (error) {
      if (!this.closing.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    throw new DemoFailure(`the live stream has not told of ${what}`);
  }

  close(): void {
    this.closing.abort();
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const blocks = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
      const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
      // A comment keeps the connection and tells nothing.
      if (id !== undefined && event !== undefined && data !== undefined) yield { id, event, data: JSON.parse(data) as Json };
    }
  }
}
