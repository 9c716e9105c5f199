import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Variables } from '../../registry/config.ts';
import { errorCatalogue } from '../../errors.ts';
import { WindowCounts } from '../../platform/turns/window-counts.ts';
import { addressFactor } from '../access/rate-limit.ts';
import { clientAddressOf, networkOf, parseAddress, proxiesIn } from '../request/client-address.ts';
import { boundBodies } from './bound-bodies.ts';

/** Window of the counts below, and of the block of a flooding address. */
const windowMs = 10_000;
const maxAddresses = 50_000;

type ServerVariables = Pick<
  Variables,
  'TRUST_PROXY' | 'MAX_CONNECTIONS' | 'MAX_CONNECTIONS_PER_IP' | 'RATE_LIMIT_KEY_PER_MINUTE' | 'RATE_LIMIT_TINY_CHUNKS_PER_10_SECONDS'
>;

/**
 * Creates the HTTP server with limits for every request: connections, time to send a request, pipelined requests, and requests and tiny
 * chunks of an address.
 *
 * Closes the connections of a flooding address and refuses new ones until the window ends. Of a client behind a trusted proxy, refuses
 * only the requests, because the connections are the proxy's.
 */
export function createBoundedServer(serve: RequestListener, config: ServerVariables): Server {
  const isProxy = proxiesIn(config.TRUST_PROXY);
  const isOfProxy = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>) => isProxy(parseAddress(remoteAddress) ?? '');
  const connections = new ConnectionLimits(config.MAX_CONNECTIONS_PER_IP);
  // The burst that the per-minute limits allow.
  const mostRequests = config.RATE_LIMIT_KEY_PER_MINUTE * addressFactor;
  const requests = new WindowCounts(windowMs, maxAddresses);
  const tinyChunkCounts = new WindowCounts(windowMs, maxAddresses);

  const countTinyChunks = (request: IncomingMessage, chunks: number): boolean => {
    const network = networkOf(clientAddressOf(request, isProxy));
    const { count, restMs } = tinyChunkCounts.add(network, chunks);
    if (count <= config.RATE_LIMIT_TINY_CHUNKS_PER_10_SECONDS) return true;
    if (!isOfProxy(request.socket)) connections.block(network, restMs);
    return false;
  };
  const served = boundBodies(serve, countTinyChunks);
  const limitRequests: RequestListener = (request, response) => {
    const network = networkOf(clientAddressOf(request, isProxy));
    const { count, restMs } = requests.add(network);
    if (count <= mostRequests) served(request, response);
    else if (isOfProxy(request.socket)) refuse(response, restMs);
    else connections.block(network, restMs);
  };

  const server = createServer(
    {
      // Time for an upload of 20 MB on a slow line.
      requestTimeout: 120_000,
      headersTimeout: 15_000,
      // Longer than the idle time-outs of proxies and clients, so that they close first.
      keepAliveTimeout: 65_000,
      // Both timeouts take effect at the next check.
      connectionsCheckingInterval: 1_000,
    },
    limitPipelining(limitRequests, (request) => {
      if (!isOfProxy(request.socket)) connections.block(networkOf(clientAddressOf(request, isProxy)), windowMs);
    }),
  );
  server.maxConnections = config.MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    if (!isOfProxy(socket)) connections.admit(socket);
  });
  return server;
}

/** Far above what browsers and proxies pipeline, which is one. */
const mostOfConnection = 16;

/**
 * Destroys a connection that pipelines too many requests. Node parses a read of 64 KB at once, with more than a thousand requests, and
 * would serve all of them before other clients.
 * @param flooded called once for such a connection
 */
function limitPipelining(serve: RequestListener, flooded: (request: IncomingMessage) => void): RequestListener {
  const underWay = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > mostOfConnection) {
      socket.destroy();
      flooded(request);
      return;
    }
    underWay.set(socket, count);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    serve(request, response);
  };
}

/** Refuses a request without Koa, cheaply. */
function refuse(response: ServerResponse, restMs: number): void {
  const seconds = Math.ceil(restMs / 1_000);
  const { status, message } = errorCatalogue.rate_limited;
  const requestId = randomUUID();
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': seconds, 'X-Request-Id': requestId });
  response.end(
    JSON.stringify({ error: { code: 'rate_limited', message, details: { retry_after_seconds: seconds } }, request_id: requestId }),
  );
}

/** Maximum blocked addresses, about 100 bytes each. */
const maxBlocked = 50_000;

/** Limits the connections of each client address (IPv6: /64); none while the address is blocked. */
export class ConnectionLimits {
  readonly #maxOfAddress: number;
  readonly #open = new Map<string, Set<Socket>>();
  /** End of each block, by `performance.now()`. */
  readonly #blocked = new Map<string, number>();

  constructor(maxOfAddress: number) {
    this.#maxOfAddress = maxOfAddress;
  }

  /** Accepts a new connection or destroys it without an answer. */
  admit(socket: Socket): void {
    const network = networkOf(parseAddress(socket.remoteAddress));
    const open = this.#open.get(network) ?? new Set();
    if (this.#isBlocked(network) || open.size >= this.#maxOfAddress) {
      socket.destroy();
      return;
    }
    this.#open.set(network, open.add(socket));
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) this.#open.delete(network);
    });
  }

  /** Destroys the connections of an address and refuses new ones for some milliseconds. */
  block(network: string, ms: number): void {
    const [oldest] = this.#blocked.keys();
    if (oldest !== undefined && this.#blocked.size >= maxBlocked) this.#blocked.delete(oldest);
    this.#blocked.set(network, performance.now() + ms);
    for (const socket of this.#open.get(network) ?? []) socket.destroy();
  }

  #isBlocked(network: string): boolean {
    const endsAt = this.#blocked.get(network);
    if (endsAt === undefined) return false;
    if (endsAt > performance.now()) return true;
    this.#blocked.delete(network);
    return false;
  }
}
