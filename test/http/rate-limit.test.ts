import pino from 'pino';
import { z } from 'zod';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../src/registry/config.ts';
import { access, type Authenticator, type SignedIn } from '../../src/http/access/access.ts';
import { sessionCookieName } from '../../src/http/access/authenticate.ts';
import { createApp } from '../../src/http/app.ts';
import { defineRoute } from '../../src/http/define-route.ts';
import { ok } from '../../src/http/response/reply.ts';
import { defaultBrand } from '../../src/platform/brand/brand.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { RequestRecord, RequestRecords } from '../../src/platform/commands/request-records.ts';

/** The HTTP layer alone, behind one proxy, with callers without records: each token and each valid key is an account. */
const secret = 'a secret of the tests';
const nothing = z.object({});
const routes = [
  defineRoute({
    name: 'readPublic',
    method: 'GET',
    path: '/public',
    access: access.public,
    tag: 'Health',
    summary: 'Public',
    response: { data: z.object({ ip: z.string() }) },
    handler: async ({ caller }) => ok({ ip: caller.ip ?? '' }),
  }),
  defineRoute({
    name: 'readOwn',
    method: 'GET',
    path: '/account',
    access: access.account,
    tag: 'Health',
    summary: 'Signed in',
    response: { data: nothing },
    handler: async () => ok({}),
  }),
  defineRoute({
    name: 'readSession',
    method: 'GET',
    path: '/session',
    access: access.session,
    tag: 'Health',
    summary: 'Any browser',
    response: { data: nothing },
    handler: async () => ok({}),
  }),
  defineRoute({
    name: 'readFile',
    method: 'GET',
    path: '/file',
    access: access.public,
    countedAs: 'file',
    tag: 'Health',
    summary: 'A file of a gate',
    response: { data: nothing },
    handler: async () => ok({}),
  }),
  defineRoute({
    name: 'receiveCallback',
    method: 'POST',
    path: '/callback',
    access: access.public,
    bodyKind: 'raw',
    countedAs: 'callback',
    tag: 'Health',
    summary: 'A machine of others',
    response: { data: nothing },
    handler: async () => ok({}),
  }),
];

const looks: string[] = [];
const authenticator: Authenticator = {
  recordRead: async () => {},
  byKey: async (_db, key) => {
    looks.push(key);
    return key.startsWith('good') ? program(Number(key.slice(4))) : null;
  },
  bySession: async (_db, token) => ({ kind: 'anonymous_session', session: { ...session, id: token } }),
};
const at = new Date(0);
const session = { id: '', tokenHash: '', userId: null, waitingUserId: null, csrfToken: '', createdAt: at, lastSeenAt: at, expiresAt: at };
function program(id: number): SignedIn {
  const user = {
    id,
    email: '',
    name: '',
    phone: null,
    role: 'user',
    status: 'active',
    language: 'ru',
    emailConfirmed: true,
    secondFactor: false,
    rightsNarrowedAt: null,
  } as const;
  return { kind: 'signed_in', user, scopes: [], by: { kind: 'key', key: { id, name: '', prefix: '' } } };
}

const recorded: RequestRecord[] = [];
let server: Server;
let address: string;
beforeEach(async () => {
  looks.length = 0;
  recorded.length = 0;
  const config = loadConfig({
    NODE_ENV: 'test',
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_KEY_PER_MINUTE: '5',
    RATE_LIMIT_PUBLIC_PER_MINUTE: '3',
    RATE_LIMIT_CALLBACKS_PER_MINUTE: '4',
  });
  const orm = { em: { fork: () => ({ getKysely: () => ({ withPlugin: () => ({}) }) }) } };
  const securityLog = { record: () => undefined };
  const requestRecords: RequestRecords = { record: (request) => void recorded.push(request), close: async () => undefined };
  const log = pino({ enabled: false });
  const platform = { brand: defaultBrand, config, orm, clock: systemClock, log, securityLog, requestRecords } as unknown as Platform;
  server = createServer(createApp(platform, routes, authenticator, secret).callback());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Sent {
  from?: string;
  key?: string;
  authorization?: string;
  session?: string;
  idempotencyKey?: string;
  method?: string;
}

async function send(path: string, { from = '203.0.113.1', key, authorization, session: token, idempotencyKey, method = 'GET' }: Sent = {}) {
  const headers: Record<string, string> = { 'x-forwarded-for': `198.51.100.99, ${from}` };
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
  if (authorization !== undefined) headers['authorization'] = authorization;
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  if (token !== undefined) {
    const name = sessionCookieName(false);
    const pair = `${name}=${token}`;
    headers['cookie'] = `${pair}; ${name}.sig=${createHmac('sha256', secret).update(pair).digest('base64url')}`;
  }
  const answer = await fetch(address + path, { method, headers });
  const limit = ['limit', 'remaining'].map((name) => Number(answer.headers.get(`ratelimit-${name}`)));
  return { status: answer.status, limit, retryAfter: answer.headers.get('retry-after'), body: (await answer.json()) as unknown };
}

/** The number of each status, such as `{ 200: 3, 429: 1 }`. */
async function tally(count: number, request: (index: number) => ReturnType<typeof send>): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let index = 0; index < count; index += 1) {
    const { status } = await request(index);
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}

const randomKey = () => `fsk_${randomBytes(32).toString('base64url')}`;

test('API-9: a public route counts by the address that the proxy reports, not the claim of the client', async () => {
  expect(await tally(4, () => send('/public'))).toEqual({ 200: 3, 429: 1 });
  const refused = await send('/public');
  expect([refused.limit, Number(refused.retryAfter)]).toEqual([[3, 0], expect.any(Number)]);
  expect(Number(refused.retryAfter)).toBeGreaterThan(0);
  expect(await send('/public', { from: '203.0.113.2' })).toMatchObject({
    status: 200,
    limit: [3, 2],
    body: { data: { ip: '203.0.113.2' } },
  });
});

test('all addresses of an IPv6 customer count as one, and IPv4 written as IPv6 as IPv4', async () => {
  expect(await tally(6, (index) => send('/public', { from: `[2001:db8:1:2::${index}]:443` }))).toEqual({ 200: 3, 429: 3 });
  expect((await send('/public', { from: '2001:db8:1:3::1' })).status).toBe(200);
  expect(await tally(6, (index) => send('/public', { from: index % 2 === 0 ? '203.0.113.7' : '::ffff:203.0.113.7' }))).toEqual({
    200: 3,
    429: 3,
  });
});

test('random Bearer keys and invalid credentials count by their address', async () => {
  expect(await tally(4, () => send('/account', { key: randomKey() }))).toEqual({ 401: 4 });
  expect((await send('/account', { authorization: 'Basic eDp5' })).status).toBe(401);
  expect(looks).toHaveLength(4);
  expect(await tally(20, () => send('/account', { key: randomKey() }))).toEqual({ 429: 20 });
  expect((await send('/account', { authorization: 'Bearer ' })).status).toBe(429);
  expect((await send('/account')).status).toBe(429);
  // A valid key at the same address has its own count, like another address.
  expect(await send('/account', { key: 'good1' })).toMatchObject({ status: 200, limit: [5, 4] });
  expect((await send('/account', { key: randomKey(), from: '203.0.113.2' })).status).toBe(401);
});

test('beyond ten times the limit random keys cause no lookup', async () => {
  await tally(50, () => send('/account', { key: randomKey() }));
  expect(looks).toHaveLength(50);
  const beyond = await send('/account', { key: randomKey() });
  expect([beyond.status, beyond.limit, looks.length]).toEqual([429, [50, 0], 50]);
});

test('a key has one count for all addresses', async () => {
  expect(await tally(8, (index) => send('/account', { key: 'good1', from: `203.0.113.${index}` }))).toEqual({ 200: 5, 429: 3 });
  expect((await send('/account', { key: 'good2' })).status).toBe(200);
});

test('the request log of a key has its refusals by the limit (ACC-33)', async () => {
  await tally(6, () => send('/account', { key: 'good1' }));
  expect(recorded.at(-1)).toMatchObject({ keyId: 1, userId: 1, route: '/account', status: 429, code: 'rate_limited' });
});

test('random Idempotency-Keys change nothing', async () => {
  expect(await tally(8, () => send('/account', { key: 'good1', idempotencyKey: randomKey() }))).toEqual({ 200: 5, 429: 3 });
});

test('sessions of one address together have ten times the limit of one', async () => {
  expect(await tally(7, () => send('/session', { session: 'first' }))).toEqual({ 200: 5, 429: 2 });
  expect(await tally(60, (index) => send('/session', { session: `session-${index}` }))).toEqual({ 200: 43, 429: 17 });
  expect((await send('/session', { session: 'first', from: '203.0.113.2' })).status).toBe(429);
  expect(await send('/session', { session: 'another', from: '203.0.113.2' })).toMatchObject({ status: 200, limit: [5, 4] });
});

test('API-9: files of a gate count with the limit of an address, beside public routes', async () => {
  expect(await tally(51, () => send('/file'))).toEqual({ 200: 50, 429: 1 });
  expect((await send('/public')).status).toBe(200);
});

test('API-9: callbacks count by address and in total; one address cannot use up the share of others', async () => {
  expect(await tally(50, () => send('/callback', { method: 'POST' }))).toEqual({ 200: 4, 429: 46 });
  expect(await tally(9, (index) => send('/callback', { method: 'POST', from: `203.0.113.${index + 10}` }))).toEqual({ 200: 9 });
  const flood = await tally(60, (index) => send('/callback', { method: 'POST', from: `198.51.100.${index}` }));
  expect(flood).toEqual({ 200: 27, 429: 33 });
  const refused = await send('/callback', { method: 'POST', from: '203.0.113.250' });
  expect([refused.status, refused.limit, Number(refused.retryAfter) > 0]).toEqual([429, [40, 0], true]);
  // Public routes and callbacks have separate counts.
  expect((await send('/public')).status).toBe(200);
});
