import pino from 'pino';
import { z } from 'zod';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../src/registry/config.ts';
import { access } from '../../src/http/access/access.ts';
import { createApp } from '../../src/http/app.ts';
import { defineRoute } from '../../src/http/define-route.ts';
import { ok } from '../../src/http/response/reply.ts';
import { defaultBrand } from '../../src/platform/brand/brand.ts';
import type { Platform } from '../../src/platform/platform.ts';

const signals: AbortSignal[] = [];
const entered = Promise.withResolvers<void>();

/** Answers immediately, or waits until its client disconnects. */
const route = defineRoute({
  name: 'waitForClient',
  method: 'GET',
  path: '/wait/:how',
  access: access.public,
  tag: 'Health',
  summary: 'Waits',
  request: { params: z.strictObject({ how: z.enum(['not', 'long']) }) },
  response: { data: z.object({}) },
  handler: async ({ params, signal }) => {
    signals.push(signal);
    if (params.how === 'not') return ok({});
    entered.resolve();
    await once(signal, 'abort');
    return ok({});
  },
});

let server: Server;
let address: string;
beforeAll(async () => {
  const platform = { brand: defaultBrand, config: loadConfig({ NODE_ENV: 'test' }), log: pino({ enabled: false }) } as unknown as Platform;
  const noCallers = { byKey: async () => null, bySession: async () => null, recordRead: async () => {} };
  server = createServer(createApp(platform, [route], noCallers, 'secret').callback());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/wait`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('the signal aborts when the client disconnects, and not after an answer', async () => {
  expect((await fetch(`${address}/not`)).status).toBe(200);
  const client = new AbortController();
  const request = fetch(`${address}/long`, { signal: client.signal });
  await entered.promise;
  client.abort();
  await expect(request).rejects.toThrow();
  const [answered, left] = signals;
  if (!left?.aborted) await once(left ?? new EventTarget(), 'abort');
  expect([answered?.aborted, left?.aborted]).toEqual([false, true]);
});
