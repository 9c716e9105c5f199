import type { LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIPv6 } from 'node:net';
import { callbackify } from 'node:util';
import type { Variables } from '../../registry/config.ts';
import { dayMs } from '../time/date-time.ts';
import { errorCode } from '../logging/error-code.ts';
import { findUrlProblem, isPublicAddress, type OutgoingRules } from './judge-address.ts';

/** Why a request got no answer. */
export type OutgoingProblem = 'address_refused' | 'not_resolved' | 'timeout' | 'tls_failed' | 'connection_failed';

export interface OutgoingAnswer {
  /** Null without an answer. */
  status: number | null;
  problem: OutgoingProblem | null;
  /** Time for which a busy receiver wants no request (429 and 503 with `Retry-After`), at most a day; 0 without one. */
  retryAfterMs: number;
  /** The beginning of the answer's body. */
  text: string;
  durationMs: number;
}

/** Sends requests to addresses that accounts name, and never into the network of the registry (WHK-7). */
export interface Outgoing {
  /** Says why a URL cannot receive requests; null when it can. */
  findProblem(url: string): string | null;
  /** Posts a body. Follows no redirect. Never throws: an answer or a problem is a result. */
  post(url: string, body: string, headers: Record<string, string>, signal: AbortSignal): Promise<OutgoingAnswer>;
}

/** Returns the addresses of a name, in the order to try them. */
export type Resolve = (host: string) => Promise<string[]>;

/** Time limit of a request with its answer, milliseconds (WHK-5). */
export const outgoingTimeoutMs = 10_000;
/** Most bytes of an answer that are read, and most that are kept (WHK-6). */
const [mostRead, mostKept] = [16_384, 1_000];

export function createOutgoing(
  config: Pick<Variables, 'NODE_ENV' | 'WEBHOOK_ALLOWED_HOSTS'>,
  resolve: Resolve = resolvePublicName,
  timeoutMs = outgoingTimeoutMs,
): Outgoing {
  const rules = { isProduction: config.NODE_ENV === 'production', allowedHosts: config.WEBHOOK_ALLOWED_HOSTS };
  return {
    findProblem: (url) => findUrlProblem(url, rules),

    async post(url, body, headers, signal) {
      const startedAt = performance.now();
      const durationMs = () => Math.round(performance.now() - startedAt);
      const without = (problem: OutgoingProblem) => ({ status: null, problem, retryAfterMs: 0, text: '', durationMs: durationMs() });
      // Rules may have changed since the URL was stored.
      if (findUrlProblem(url, rules) !== null) return without('address_refused');
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        const response = await send(new URL(url), body, {
          method: 'POST',
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
          signal: AbortSignal.any([limit, signal]),
          // A connection of its own: the address that was judged is the one that is connected to.
          agent: false,
          ...lookupOf(new URL(url), rules, resolve),
        });
        const status = response.statusCode ?? null;
        const retryAfterMs = status === 429 || status === 503 ? parseRetryAfter(response.headers['retry-after'], new Date()) : 0;
        return { status, problem: null, retryAfterMs, text: await readBeginning(response), durationMs: durationMs() };
      } catch (error) {
        return without(limit.aborted ? 'timeout' : problemOf(error));
      }
    },
  };
}

/** Returns the time that a `Retry-After` asks for, in milliseconds: seconds or a date, at most a day (WHK-5); 0 when it asks for none. */
export function parseRetryAfter(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  const wanted = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isNaN(wanted) ? 0 : Math.min(Math.max(0, wanted), dayMs);
}

/** A host that the operator allows is resolved by the system, which knows local names. */
function lookupOf({ hostname }: URL, { allowedHosts }: OutgoingRules, resolve: Resolve): RequestOptions {
  if (allowedHosts.includes(hostname)) return {};
  // Node asks for all addresses of a name (`net.getDefaultAutoSelectFamily`).
  return { lookup: callbackify((host: string, _options: LookupOptions) => resolvePublic(host, resolve)) };
}

/** Resolves a name for a connection; refuses it when any of its addresses is not public. */
async function resolvePublic(host: string, resolve: Resolve): Promise<{ address: string; family: number }[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw failure('ENOTFOUND');
  if (!addresses.every(isPublicAddress)) throw failure(refusedCode);
  return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
}

const refusedCode = 'ERR_ADDRESS_REFUSED';

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** Asks the name servers with a limit of its own; the system's resolver would hold a thread of the process for as long as it waits. */
async function resolvePublicName(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

async function send(url: URL, body: string, options: RequestOptions): Promise<IncomingMessage> {
  const sent: ClientRequest = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, options);
  sent.end(body);
  // `once` rejects with the request's error.
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // A later error ends the reading of the answer, which sees it.
  sent.on('error', () => undefined);
  return response;
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The end of the loop destroys the answer, and with it the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= mostRead) break;
  }
  return Buffer.concat(chunks).subarray(0, mostKept).toString('utf8');
}

function problemOf(error: unknown): OutgoingProblem {
  const code = errorCode(error) ?? '';
  if (code === refusedCode) return 'address_refused';
  if (code === 'ENOTFOUND') return 'not_resolved';
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|UNABLE_TO_|SELF_SIGNED|EPROTO)/.test(code)) return 'tls_failed';
  return 'connection_failed';
}
