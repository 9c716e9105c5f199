import pino from 'pino';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokenParams } from '../../src/areas/verification/wire.ts';
import { loadConfig } from '../../src/registry/config.ts';
import { DomainError } from '../../src/errors.ts';
import { access } from '../../src/http/access/access.ts';
import { createApp } from '../../src/http/app.ts';
import { defineRoute } from '../../src/http/define-route.ts';
import { languages } from '../../src/http/language.ts';
import { body } from '../../src/http/response/reply.ts';
import { defaultBrand } from '../../src/platform/brand/brand.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { shell } from '../support/texts/page-html.ts';

/** The HTTP layer alone, with a page whose token selects its failure. Real records cannot cause these failures on demand. */
const page = defineRoute({
  name: 'showPage',
  method: 'GET',
  path: '/v/:token',
  access: access.public,
  atRoot: true,
  answersPeople: true,
  tag: 'Reference',
  summary: 'A page',
  request: { params: tokenParams },
  response: { content: ['text/html'] },
  handler: async ({ params }) => {
    if (params.token === 'crash') throw new Error('a secret of ours');
    if (params.token === 'away') throw new DomainError('service_unavailable');
    return body('<p>good</p>', { 'Content-Type': 'text/html' });
  },
});

/** The page is public: no credentials are sent. */
const authenticator = { byKey: async () => null, bySession: async () => null, recordRead: async () => {} };

let server: Server;
let address: string;
const limits = { RATE_LIMIT_KEY_PER_MINUTE: '100', RATE_LIMIT_PUBLIC_PER_MINUTE: '12' };
const config = loadConfig({ NODE_ENV: 'test', ...limits });

beforeAll(async () => {
  const platform = { config, brand: defaultBrand, log: pino({ enabled: false }) } as unknown as Platform;
  server = createServer(createApp(platform, [page], authenticator, 'secret').callback());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function open(path: string, init: RequestInit = {}) {
  const answer = await fetch(address + path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function expectPage({ headers, text }: Awaited<ReturnType<typeof open>>): void {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toBe(shell.headersOf({ language: 'ru' })['Content-Security-Policy']);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).toContain('width=device-width');
  expect(text).toContain(headers.get('x-request-id'));
  expect(text).not.toContain('<script');
  expect(text).not.toContain('a secret of ours');
}

test.each([
  ['/v/%00', 'GET', 422],
  ['/v/a/b', 'GET', 404],
  ['/v/token', 'POST', 405],
  ['/v/crash', 'GET', 500],
  ['/v/away', 'GET', 503],
])('%s by %s gets an error page, %d', async (path, method, status) => {
  const answer = await open(path, { method });
  expect(answer.status).toBe(status);
  expectPage(answer);
  expect(answer.headers.get('retry-after')).toBe(status === 503 ? '5' : null);
});

test('the page uses the requested language, and its language links keep the rest of the address', async () => {
  const texts = await Promise.all(languages.map((language) => open('/v/away?from=scanner', { headers: { 'accept-language': language } })));
  expect(new Set(texts.map(({ text }) => /<h1>(.*)<\/h1>/.exec(text)?.[1])).size).toBe(3);
  texts.forEach(({ text, headers }, index) => {
    expect(headers.get('content-language')).toBe(languages[index]);
    expect(text).toContain(`<html lang="${languages[index]}">`);
    expect(text).toContain('href="?from=scanner&amp;lang=kk"');
  });
});

test('the page escapes the address', async () => {
  const { text } = await open('/v/away?x="><img src=x>');
  expect(text).not.toContain('<img');
});

test('a limited address gets the pause on a page; programs get JSON', async () => {
  let answer = await open('/v/token');
  while (answer.status === 200) answer = await open('/v/token?lang=en');
  expect(answer.status).toBe(429);
  expectPage(answer);
  const seconds = answer.headers.get('retry-after');
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(answer.text).toContain(`Wait ${seconds} s`);
  expect(answer.headers.get('ratelimit-remaining')).toBe('0');
  expect((await open('/api/v1/nowhere')).headers.get('content-type')).toContain('application/json');
});
