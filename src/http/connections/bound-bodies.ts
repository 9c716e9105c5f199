import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';

/** Below this size a chunk costs more in work than in bytes. */
const tinyBytes = 512;
/** Most tiny chunks of one body. */
const maxTinyPieces = 20_480;
/** Bodies with fewer wire bytes are too small to matter. */
const leastWireBytes = 256 * 1024;
/** Tiny chunks are joined up to this size before a reader gets them. */
const joinedBytes = 16 * 1024;
/** Longest delay for joining: each chunk may arrive in a read of its own. */
const joinedMs = 20;
/** A connection stays open after an answer when at most this much of the request remains. */
const keptOpenBytes = 64 * 1024;
/** Most bytes drained after the answer: enough for a photo far above the limit, so that its sender can read the refusal. */
const maxUnreadBytes = 100 * 1024 * 1024;
const drainMs = 5_000;
/** Interval between two checks of the drain; each takes its share of `maxUnreadBytes`. */
const drainStepMs = 100;
/** Delay before the connection closes after a refused body, so that the client reads the answer. */
const lingerMs = 1_000;

/**
 * Counts tiny chunks of a client address.
 * @returns false when the address has sent too many
 */
export type CountTinyPieces = (request: IncomingMessage, pieces: number) => boolean;

/**
 * Bounds the work that a request body can cause, from the first byte to the last, for every request.
 *
 * A chunk of one byte takes six on the wire and as much work as one of a thousand bytes, so chunks are counted. Wire bytes are compared
 * with the payload, which covers chunk extensions and trailers. Readers get tiny chunks joined to large ones.
 *
 * After an answer the rest of the body is drained, so that the client can read the answer. The connection is closed when the rest is long,
 * unbounded or too slow.
 */
export function boundBodies(serve: RequestListener, countTinyPieces: CountTinyPieces): RequestListener {
  return (request, response) => {
    if (announcesBody(request)) {
      const body = new WatchedBody(request, countTinyPieces);
      watched.set(request, body);
      endAfterDrain(request, response, body);
    }
    serve(request, response);
  };
}

/** Returns whether a request has a body, by its headers (RFC 9112 §6). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const watched = new WeakMap<IncomingMessage, WatchedBody>();

/**
 * Reads the body chunk by chunk. A reader that stops early leaves the rest to the drain after the answer.
 * @throws {DomainError} payload_too_large for a body of tiny chunks
 */
export async function* readPieces(request: IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
  // Stopping early must not destroy the connection: the answer still needs it.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (watched.get(request)?.isRefused) throw tinyChunks();
    yield piece;
  }
}

function tinyChunks(): DomainError {
  return new DomainError('payload_too_large', { max_chunks: maxTinyPieces }, 'The body comes in too many tiny chunks.');
}

/** Watches the chunks of one body as the HTTP parser delivers them. */
class WatchedBody {
  /** Too many tiny chunks: the rest of the body is discarded. */
  isRefused = false;
  /** Payload bytes received. */
  received = 0;
  readonly #request: IncomingMessage;
  readonly #push: (piece: Buffer | null) => boolean;
  readonly #countTinyPieces: CountTinyPieces;
  readonly #wireBytesBefore: number;
  #tinyPieces = 0;
  #uncounted = 0;
  #joined = Buffer.alloc(0);
  #length = 0;
  #flushTimer: NodeJS.Timeout | null = null;

  constructor(request: IncomingMessage, countTinyPieces: CountTinyPieces) {
    this.#request = request;
    this.#countTinyPieces = countTinyPieces;
    this.#wireBytesBefore = request.socket.bytesRead;
    this.#push = request.push.bind(request);
    // Every chunk passes here, whether a reader, the drain or nothing consumes it.
    request.push = (piece: Buffer | null) => this.#take(piece);
  }

  #take(piece: Buffer | null): boolean {
    if (this.isRefused || this.#request.destroyed) return false;
    if (piece === null) {
      this.#flush();
      return this.#push(null);
    }
    this.received += piece.length;
    if (piece.length >= tinyBytes) {
      this.#flush();
      return this.#push(piece);
    }
    this.#uncounted += 1;
    if (this.#length + piece.length > this.#joined.length) {
      this.#flush();
      this.#joined = Buffer.allocUnsafe(joinedBytes);
    }
    this.#joined.set(piece, this.#length);
    this.#length += piece.length;
    if (this.#tinyPieces + this.#uncounted > maxTinyPieces) this.#flush();
    this.#flushTimer ??= setTimeout(() => this.#flush(), joinedMs);
    return this.#request.readableLength + this.#length < this.#request.readableHighWaterMark;
  }

  #flush(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    const { socket } = this.#request;
    const wireBytes = socket.bytesRead - this.#wireBytesBefore;
    this.#tinyPieces += this.#uncounted;
    if (
      this.#tinyPieces > maxTinyPieces ||
      (wireBytes > leastWireBytes && wireBytes > 2 * this.received) ||
      (this.#uncounted > 0 && !this.#countTinyPieces(this.#request, this.#uncounted))
    )
      this.isRefused = true;
    this.#uncounted = 0;
    if (this.#length === 0) return;
    const joined = this.#joined.subarray(0, this.#length);
    this.#joined = this.#joined.subarray(this.#length);
    this.#length = 0;
    // Also for a refused body: its reader wakes up and finds it refused.
    if (!this.#request.destroyed) this.#push(joined);
  }
}

/**
 * Sends the whole answer at once and ends it after the rest of the body is drained. Node closes a connection at the end of such an answer:
 * with unread bytes the client would see a reset connection instead of the answer.
 */
function endAfterDrain(request: IncomingMessage, response: ServerResponse, body: WatchedBody): void {
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
 * Drains the rest of a body at a limited speed; nothing of a refused one.
 * @returns false when the rest is too long or too slow
 */
async function drain(request: IncomingMessage, body: WatchedBody): Promise<boolean> {
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
