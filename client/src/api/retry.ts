/** Bounds of one call with its retries. */
export interface RetryOptions {
  /** Attempts, the first included; 1 turns retries off. Default 5. */
  attempts?: number;
  /** Milliseconds until the answer to one attempt. Default 60,000. */
  attemptMs?: number;
  /** Milliseconds of all attempts and the waits between them. Default 180,000. */
  totalMs?: number;
}

type Send = (request: Request) => Promise<Response>;

/** Answers of the registry, or of a proxy in front of it, after which the same request may succeed. */
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/**
 * Returns a `fetch` that repeats a request after a lost connection and after answers that pass, and obeys `Retry-After`. A write without
 * an `Idempotency-Key` is sent once: the registry may have carried it out without its answer arriving.
 *
 * The signal of the request ends its attempts and waits.
 * @throws the last cause when no attempt is answered
 */
export function retrying(send: Send, { attempts: most = 5, attemptMs = 60_000, totalMs = 180_000 }: RetryOptions = {}): Send {
  return async (request) => {
    const endsAt = performance.now() + totalMs;
    const attempts = request.method === 'GET' || request.headers.has('idempotency-key') ? most : 1;
    const remainingMs = () => endsAt - performance.now();
    for (let attempt = 1; ;) {
      let waitMs = backoffMs(attempt);
      try {
        const response = await sendOnce(send, request, Math.min(attemptMs, remainingMs()));
        // The first attempt is still at work, though its connection is lost: waiting for it is no attempt.
        const isInProgress = await hasCode(response, 409, 'request_in_progress');
        if (!isInProgress && (attempt >= attempts || !passingStatuses.has(response.status))) return response;
        if (!isInProgress) attempt += 1;
        waitMs = retryAfterMs(response) ?? waitMs;
        if (waitMs >= remainingMs()) return response;
        await response.body?.cancel();
      } catch (cause) {
        if (request.signal.aborted || attempt >= attempts || waitMs >= remainingMs()) throw cause;
        attempt += 1;
      }
      await pause(waitMs, request.signal);
    }
  };
}

/** Sends a copy of the request, and reads JSON to its end: a connection may be lost within an answer. Other content streams. */
async function sendOnce(send: Send, request: Request, ms: number): Promise<Response> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new DOMException('The registry does not answer.', 'TimeoutError')), ms);
  try {
    const signal = AbortSignal.any([request.signal, ending.signal]);
    const response = await send(new Request(request.clone(), { signal }));
    if (!isJson(response)) return response;
    return new Response(await response.arrayBuffer(), response);
  } finally {
    clearTimeout(timer);
  }
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

async function hasCode(response: Response, status: number, code: string): Promise<boolean> {
  if (response.status !== status || !isJson(response)) return false;
  const { error } = (await response.clone().json()) as { error?: { code?: string } };
  return error?.code === code;
}

/** Doubles from half a second; a random half keeps clients from returning at once. */
function backoffMs(attempt: number): number {
  const ms = Math.min(firstWaitMs * 2 ** (attempt - 1), longestWaitMs);
  return ms / 2 + (Math.random() * ms) / 2;
}

/** Reads `Retry-After`: seconds or a date (RFC 9110 §10.2.3). */
function retryAfterMs({ headers }: Response): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** Waits. @throws the reason of the signal when it aborts */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
