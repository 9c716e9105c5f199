import Koa, { type Context } from 'koa';
import type { z } from 'zod';
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { errorCode, errorName } from '../../platform/logging/error-code.ts';
import { exitWithParent, reportReady } from '../../platform/runtime/exit-with-parent.ts';

const maxBodyBytes = 64 * 1024;

/** A running simulator. */
export interface Simulator {
  url: string;
  port: number;
  close(): Promise<void>;
}

/**
 * Creates an application with security headers and error answers.
 * @param refuse writes the answer to a failed request
 */
export function createSimulatorApp(name: string, refuse: (ctx: Context, status: number, message: string) => void): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.set({
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    });
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) refuse(ctx, 404, 'no such page');
    } catch (error) {
      const status = error instanceof Koa.HttpError ? error.status : 500;
      if (status >= 500) process.stderr.write(`${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
      refuse(ctx, status, status >= 500 ? 'the simulator failed' : (error as Error).message);
    }
  });
  return app;
}

/**
 * Serves an application; port 0 selects a free port.
 * @throws {Error} `EADDRINUSE` when another program uses the port
 */
export async function listen(app: Koa, port: number, host: string): Promise<Simulator> {
  const server = createServer(
    // Longer than clients keep idle connections, so that the client closes first.
    { requestTimeout: 15_000, headersTimeout: 10_000, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 },
    app.callback(),
  );
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Runs a simulator as a process until a signal or the end of the supervisor. */
export async function runSimulator(
  name: string,
  port: { variable: string; number: number },
  start: () => Promise<Simulator>,
): Promise<void> {
  try {
    const simulator = await start();
    exitWithParent(() => simulator.close());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.close().finally(() => process.exit(0)));
    reportReady();
  } catch (error) {
    const isTaken = errorCode(error) === 'EADDRINUSE';
    const reason = isTaken
      ? `another program uses port ${port.number}; stop it or set ${port.variable}`
      : error instanceof Error
        ? error.message
        : String(error);
    process.stderr.write(`${name}: ${reason}\n`);
    process.exit(1);
  }
}

/** Waits for a time, until the caller disconnects, or until the simulator closes. */
export async function hang({ socket }: IncomingMessage, delayMs: number, closing: AbortSignal): Promise<void> {
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  socket.once('close', abort);
  await setTimeout(delayMs, undefined, { signal: AbortSignal.any([closing, disconnected.signal]) }).catch(() => undefined);
  socket.off('close', abort);
}

/** Posts JSON to a webhook or callback. @returns whether the receiver accepted it, and the result for people */
export async function postJson(
  url: string,
  body: unknown,
  { headers = {}, timeoutMs, signal }: { headers?: Record<string, string>; timeoutMs: number; signal: AbortSignal },
): Promise<{ isAccepted: boolean; result: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
    });
    await response.body?.cancel();
    return { isAccepted: response.ok, result: `answered ${response.status}` };
  } catch (error) {
    return { isAccepted: false, result: errorName(error) === 'TimeoutError' ? 'timed out' : 'could not be delivered' };
  }
}

/**
 * Returns a function that writes changes, simultaneous ones together, one write at a time. Its promise resolves when the changes so far are
 * written.
 */
export function joinWrites(write: () => Promise<void>): () => Promise<void> {
  let isQueued = false;
  let written: Promise<void> = Promise.resolve();
  return () => {
    if (isQueued) return written;
    isQueued = true;
    written = written
      .catch(() => undefined)
      .then(() => {
        isQueued = false;
        return write();
      });
    return written;
  };
}

/** Reads a simulator's file; null without one. */
export async function readStored(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Compares two secrets in constant time. */
export function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Renders a page of a simulator. @param body HTML with all other text escaped */
export function renderPage(title: string, style: string, body: string, footer: string): string {
  return `<!doctype html>
<html lang="ru"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${style}</style></head>
<body>${body}
<p><small>${footer}</small></p></body></html>`;
}

/** Reads the fields of an HTML form; of a repeated field the last value. */
export async function readFormBody(ctx: Context): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(ctx, 'application/x-www-form-urlencoded')));
}

/** @throws 400 for a body that is not JSON, 413, 415 */
export async function readJsonBody(ctx: Context): Promise<unknown> {
  const text = await readText(ctx, 'application/json');
  try {
    return JSON.parse(text);
  } catch {
    return ctx.throw(400, 'the body is not JSON');
  }
}

async function readText(ctx: Context, type: string): Promise<string> {
  // The exact type also refuses JSON from pages of other sites.
  if (!ctx.is(type)) ctx.throw(415, `the body must be ${type}`);
  return (await readBytes(ctx)).toString('utf8');
}

/** Reads a body of any type. @throws 413 */
export async function readBytes(ctx: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) ctx.throw(413, `the body is longer than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Refuses a change that a page of another site sends. */
export async function refuseOtherSites(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  if (ctx.method !== 'GET' && !['', 'same-origin', 'none'].includes(ctx.get('sec-fetch-site'))) ctx.throw(403, 'a page of another site');
  await next();
}

/** Validates the fields of a form or JSON body. @throws 422 */
export function parseFields<Schema extends z.ZodType>(ctx: Context, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) ctx.throw(422, parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  return parsed.data;
}
