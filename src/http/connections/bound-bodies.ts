import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';

/** Chunks below this size cost more work than bytes. */
const tinyBytes = 512;
/** Maximum tiny chunks of one body. */
const maxTinyChunks = 20_480;
/** Bodies with fewer wire bytes are not checked. */
const leastWireBytes = 256 * 1024;
/** Readers get tiny chunks joined up to this size. */
const joinedBytes = 16 * 1024;
/** Maximum delay for joining chunks. */
const joinedMs = 20;
/** Maximum rest of a body after which the connection stays open. */
const keptOpenBytes = 64 * 1024;
/** Maximum bytes drained after the answer, so that the sender of a too large photo can read the refusal. */
const maxUnreadBytes = 100 * 1024 * 1024;
const drainMs = 5_000;
/** Interval between two checks of the drain, each with its share of `maxUnreadBytes`. */
const drainStepMs = 100;
/** Delay before the connection closes after a refused body, so that the client reads the answer. */
const lingerMs = 1_000;

/**
 * Counts tiny chunks of a client address.
 * @returns false when the address has sent too many
 */
export type CountTinyChunks = (request: IncomingMessage, chunks: number) => boolean;

/**
 * Limits the work of every request body, from the first byte to the last.
 *
 * A chunk of one byte costs as much work as a thousand bytes, so tiny chunks are counted and joined. Wire bytes are compared with the
 * payload, against chunk extensions and trailers.
 *
 * After the answer, the rest of the body is drained, so that the client can read the answer. The connection closes if the rest is long,
 * unbounded or slow.
 */
export function boundBodies(serve: RequestListener, countTinyChunks: CountTinyChunks): RequestListener {
  return (request, response) => {
    if (announcesBody(request)) {
      const body = new BoundedBody(request, countTinyChunks);
      bodies.set(request, body);
      endAfterDrain(request, response, body);
    }
    serve(request, response);
  };
}

/** Returns whether a request has a body, by its headers (RFC 9112 §6). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const bodies = new WeakMap<IncomingMessage, BoundedBody>();

/**
 * Waits for a reader of the body, which would wait without end for a refused one.
 * @throws {DomainError} payload_too_large for a body of tiny chunks
 */
export function untilRefused<T>(request: IncomingMessage, reading: Promise<T>): Promise<T> {
  const body = bodies.get(request);
  return body === undefined ? reading : Promise.race([reading, body.refusal]);
}

/** Checks the chunks of one body from the HTTP parser. */
class BoundedBody {
  /** Too many tiny chunks: the rest of the body is discarded. */
  isRefused = false;
  /** Rejects once it is refused. */
  readonly refusal: Promise<never>;
  /** Payload bytes received. */
  received = 0;
  readonly #request: IncomingMessage;
  readonly #push: (chunk: Buffer | null) => boolean;
  readonly #countTinyChunks: CountTinyChunks;
  readonly #refuse: (error: DomainError) => void;
  readonly #wireBytesBefore: number;
  #tinyChunks = 0;
  #uncounted = 0;
  #joined = Buffer.alloc(0);
  #length = 0;
  #flushTimer: NodeJS.Timeout | null = null;

  constructor(request: IncomingMessage, countTinyChunks: CountTinyChunks) {
    this.#request = request;
    this.#countTinyChunks = countTinyChunks;
    this.#wireBytesBefore = request.socket.bytesRead;
    this.#push = request.push.bind(request);
    const { promise, reject } = Promise.withResolvers<never>();
    // It may reject before anything awaits it.
    promise.catch(() => undefined);
    [this.refusal, this.#refuse] = [promise, reject];
    // Every chunk passes here, for every reader.
    request.push = (chunk: Buffer | null) => this.#receive(chunk);
  }

  #receive(chunk: Buffer | null): boolean {
    if (this.isRefused || this.#request.destroyed) return false;
    if (chunk === null) {
      this.#flush();
      return this.#push(null);
    }
    this.received += chunk.length;
    if (chunk.length >= tinyBytes) {
      this.#flush();
      return this.#push(chunk);
    }
    this.#uncounted += 1;
    if (this.#length + chunk.length > this.#joined.length) {
      this.#flush();
      this.#joined = Buffer.allocUnsafe(joinedBytes);
    }
    this.#joined.set(chunk, this.#length);
    this.#length += chunk.length;
    if (this.#tinyChunks + this.#uncounted > maxTinyChunks) this.#flush();
    this.#flushTimer ??= setTimeout(() => this.#flush(), joinedMs);
    return this.#request.readableLength + this.#length < this.#request.readableHighWaterMark;
  }

  #flush(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    const { socket } = this.#request;
    const wireBytes = socket.bytesRead - this.#wireBytesBefore;
    this.#tinyChunks += this.#uncounted;
    if (
      this.#tinyChunks > maxTinyChunks ||
      (wireBytes > leastWireBytes && wireBytes > 2 * this.received) ||
      (this.#uncounted > 0 && !this.#countTinyChunks(this.#request, this.#uncounted))
    ) {
      this.isRefused = true;
      this.#refuse(new DomainError('payload_too_large', { max_chunks: maxTinyChunks }, 'The body has too many tiny chunks.'));
    }
    this.#uncounted = 0;
    if (this.#length === 0) return;
    const joined = this.#joined.subarray(0, this.#length);
    this.#joined = this.#joined.subarray(this.#length);
    this.#length = 0;
    if (!this.#request.destroyed) this.#push(joined);
  }
}

/**
 * Sends the whole answer at once and ends it after the rest of the body is drained. Otherwise Node closes the connection with unread bytes,
 * and the client sees a reset connection instead of the answer.
 */
function endAfterDrain(request: IncomingMessage, response: ServerResponse, body: BoundedBody): void {
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  let isEnding = false;
  response.end = (...args: unknown[]) => {
    const isWhole = request.complete && !body.isRefused;
    if (isEnding || isWhole || request.socket.destroyed) return end(...args);
    isEnding = true;
    const rest = Number(request.headers['content-length'] ?? Infinity) - body.received;
    if (!response.headersSent && (body.isRefused || rest > keptOpenBytes)) response.setHeader('Connection', 'close');
    const [content, encoding] = args;
    if (typeof content === 'string') response.write(content, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
    else if (content instanceof Uint8Array) response.write(content);
    else response.flushHeaders();
    void drain(request, body).then((isDrained) => {
      if (isDrained) end();
      else request.socket.destroy();
    });
    return response;
  };
}

/**
 * Drains the rest of a body at a limited rate; skips a refused body.
 * @returns false when the rest is too long or too slow
 */
async function drain(request: IncomingMessage, body: BoundedBody): Promise<boolean> {
  const before = body.received;
  const bytesOfStep = (maxUnreadBytes * drainStepMs) / drainMs;
  const isOver = () => request.complete || body.isRefused || request.destroyed;
  for (let step = 1; step * drainStepMs <= drainMs && !isOver(); step += 1) {
    const pauseIfMuch = (): void => {
      if (body.received - before > step * bytesOfStep) request.pause();
    };
    request.on('data', pauseIfMuch).resume();
    const stopped = new AbortController();
    const stop = (): void => stopped.abort();
    request.once('end', stop).once('close', stop);
    await pause(drainStepMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    request.off('data', pauseIfMuch).off('end', stop).off('close', stop);
  }
  if (body.isRefused) await pause(lingerMs);
  return request.complete || body.isRefused;
}
