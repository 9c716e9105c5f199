import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';

/** A smaller piece of a body costs more in work than in bytes. */
const tinyBytes = 512;
/** Tiny pieces that one body may have. */
const maxTinyPieces = 20_480;
/** Wire bytes below which a body is too small to matter. */
const leastWireBytes = 256 * 1024;
/** Tiny pieces are joined up to this size before any reader gets them. */
const joinedBytes = 16 * 1024;
/** Or for so long: each piece may come in a read of its own. */
const joinedMs = 20;
/** A connection stays open after an answer when the rest of the request is at most this long. */
const keptOpenBytes = 64 * 1024;
/** What may still come after the answer: enough for a photo far above the limit, whose sender must be able to read why. */
const maxUnreadBytes = 100 * 1024 * 1024;
const drainMs = 5_000;
/** Between two looks at how much of the rest has come; each takes its share of `maxUnreadBytes`. */
const drainStepMs = 100;
/** After the refusal of a body, so that the client reads it before the connection closes. */
const lingerMs = 1_000;

/** Counts tiny pieces of a client's address. @returns false when the address has sent too many */
export type CountTinyPieces = (request: IncomingMessage, pieces: number) => boolean;

/**
 * Bounds the work that the body of a request can cause, from its first byte to the last, for every request and answer.
 *
 * A piece of one byte takes six on the wire and as much work as one of a thousand, so the pieces are counted, and the wire bytes are held
 * against the payload: that counts chunk extensions and trailers too. Readers get tiny pieces joined to large ones.
 *
 * After an answer the rest of the body is drained, so that the client can read the answer, and the connection is closed where the rest is
 * long, unbounded or too slow.
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

/** Whether a request has a body, by its headers (RFC 9112 §6). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const watched = new WeakMap<IncomingMessage, WatchedBody>();

/**
 * Reads the body piece by piece. A reader that stops early leaves the rest to the drain after the answer.
 * @throws {DomainError} payload_too_large, for a body of tiny chunks
 */
export async function* readPieces(request: IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
  // Stopping early must not take the connection down: the answer still has to go out on it.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (watched.get(request)?.isRefused) throw tinyChunks();
    yield piece;
  }
}

function tinyChunks(): DomainError {
  return new DomainError('payload_too_large', { max_chunks: maxTinyPieces }, 'The body comes in too many tiny chunks.');
}

/** Watches the pieces of one body as the HTTP parser hands them over. */
class WatchedBody {
  /** Too many tiny pieces: nothing of the body is taken any more. */
  isRefused = false;
  /** Payload bytes that have come. */
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
    // The one place that every piece passes, whether a reader takes it, the drain, or nothing does.
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
    // Also of a refused body: its reader wakes and finds it refused.
    if (!this.#request.destroyed) this.#push(joined);
  }
}

/**
 * Writes the whole answer at once and ends it after the rest of the body was drained. Node closes a connection at the end of an answer that
 * says so: a rest under way would meet a closed socket, and the client a reset in place of the answer.
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

/** Takes the rest of a body at a bounded speed, and nothing of a refused one. @returns false when the rest is too long or too slow */
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
