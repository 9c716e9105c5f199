import autocannon from 'autocannon';
import Koa from 'koa';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { factsOfCertificate } from '../../src/areas/verification/read-certificate.ts';
import { signatureHeaders } from '../../src/areas/webhooks/secrets.ts';
import { createOutgoing } from '../../src/platform/outgoing/outgoing.ts';
import { reportReady } from '../../src/platform/runtime/exit-with-parent.ts';
import { withDatabase } from './stack.ts';

/** Programs beside the measured ones, each in a process and an event loop of its own: `startProgram(name)` of `stack.ts`. */
const programs = { attacker, bareSender, bareServer, bareListServer, loadGenerator };
export type ProgramName = keyof typeof programs;

/** What each connection of an attack sends: a head, then the same bytes repeatedly. */
export interface Attack {
  head: string;
  repeat: string;
  /** Between two repeats. */
  pauseMs: number;
  connections: number;
}

/** Sends one attack from `localAddress` until it is killed, and reconnects when the server closes a connection. */
async function attacker(): Promise<void> {
  const { attack, port, localAddress } = await order<{ attack: Attack; port: number; localAddress: string }>();
  const attackOnce = async () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(attack.head);
    while (!socket.destroyed) {
      if (!socket.write(attack.repeat)) await drained(socket);
      await pause(attack.pauseMs);
    }
  };
  await Promise.all(
    Array.from({ length: attack.connections }, async () => {
      for (;;) {
        await attackOnce();
        await pause(10);
      }
    }),
  );
}

/** Also resolves when the connection is closed. */
async function drained(socket: Socket): Promise<void> {
  const over = new AbortController();
  await Promise.race([once(socket, 'drain', { signal: over.signal }), once(socket, 'close', { signal: over.signal })]).catch(
    () => undefined,
  );
  over.abort();
}

/** Posts and signs as a webhook does, four at a time, without database and Temporal. */
async function bareSender(): Promise<void> {
  const { url, count } = await order<{ url: string; count: number }>();
  const outgoing = createOutgoing({ NODE_ENV: 'test', WEBHOOK_ALLOWED_HOSTS: ['127.0.0.1'] });
  const body = JSON.stringify({ id: 'bench', type: 'bench', subject: 'bench/1', data: { id: 1, url } });
  let left = count;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (left > 0) {
        left -= 1;
        await outgoing.post(url, body, signatureHeaders(['whsec_YmVuY2g='], 'bench', new Date(), body), new AbortController().signal);
      }
    }),
  );
  process.send?.('done');
}

/**
 * The minimal server for a verification: bare Koa, `pg` and the verification's statement. No routes, validation, limits, headers, metrics
 * or request ids; it does not even decide about the validity.
 */
async function bareServer(): Promise<void> {
  const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: Number(process.env['DATABASE_POOL']) });
  const statement = { name: 'verify-certificate', text: factsOfCertificate('$1') };
  const app = new Koa();
  app.use(async (ctx) => {
    const token = ctx.path.slice(ctx.path.lastIndexOf('/') + 1);
    const { rows } = await pool.query<{ facts: unknown }>({ ...statement, values: [token] });
    if (rows[0]) ctx.body = { data: rows[0].facts };
  });
  app.listen(Number(process.env['PORT']), '127.0.0.1', reportReady);
}

/** The minimal server of a status list: bare `node:http` with the bytes in memory. No database, encodings, limits or metrics. */
async function bareListServer(): Promise<void> {
  const [list] = await withDatabase(process.env['DATABASE_URL'] ?? '', async (database) => {
    const { rows } = await database.query<{ cwt: Buffer }>('select cwt from status_lists where id = 1');
    return rows;
  });
  if (!list) throw new Error('There is no status list 1.');
  const headers = { ETag: '"1"', 'Cache-Control': 'public, max-age=60' };
  createServer((request, response) => {
    if (request.headers['if-none-match'] === headers.ETag) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, 'Content-Type': 'application/statuslist+cwt' }).end(list.cwt);
  }).listen(Number(process.env['PORT']), '127.0.0.1', reportReady);
}

export interface LoadOrder {
  url: string;
  paths: string[];
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
  /** What counts as success; `2xx` by default. */
  expected?: '2xx' | '3xx';
}

/** Latencies in milliseconds; `p95` is p97.5, which autocannon reports. */
export interface LoadReport {
  requestsPerSecond: number;
  p50: number;
  p95: number;
  p99: number;
  failures: number;
}

/** Requests the same paths repeatedly, as each `LoadOrder` says. */
async function loadGenerator(): Promise<void> {
  process.on('message', async ({ url, paths, connections, seconds, headers = {}, expected = '2xx' }: LoadOrder) => {
    // Each connection gets a share of the paths: a full list for each takes 100 ms to build, and all would request the same path at once.
    const shares = Array.from({ length: connections }, (_, nth) =>
      paths.filter((_path, index) => index % connections === nth % paths.length),
    );
    const result = await autocannon({
      url,
      connections,
      duration: seconds,
      setupClient: (client) => client.setRequests(shares.pop()?.map((path) => ({ method: 'GET', path, headers })) ?? []),
    });
    const report: LoadReport = {
      requestsPerSecond: result.requests.total / result.duration,
      p50: result.latency.p50,
      p95: result.latency.p97_5,
      p99: result.latency.p99,
      failures: result['2xx'] + result.non2xx - result[expected] + result.errors + result.timeouts,
    };
    process.send?.(report);
  });
  reportReady();
}

/** Reports that the program is ready, and waits for its only message. */
async function order<T>(): Promise<T> {
  const arrived = once(process, 'message') as Promise<[T]>;
  reportReady();
  return (await arrived)[0];
}

process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
await programs[process.argv[2] as ProgramName]();
