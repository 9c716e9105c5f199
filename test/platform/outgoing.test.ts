import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findUrlProblem, isPublicAddress } from '../../src/platform/outgoing/judge-address.ts';
import { createOutgoing, outgoingTimeoutMs, parseRetryAfter, type Resolve } from '../../src/platform/outgoing/outgoing.ts';

/** Requests to addresses that accounts name. Nothing leaves loopback: addresses of other networks are judged, never connected to. */

describe('an address (WHK-7)', () => {
  test.each(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '2a00:1450:4010::8a'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  const others = `
    0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1
    192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 fe80::1 fec0::1 fc00::1
    fd12::1 ff02::1 2001:db8::1 100::1 64:ff9b::a00:1 2002:a00:1::1 2001::1 ::ffff:10.0.0.1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe
    ::10.0.0.1 localhost 1 fe80::1%eth0 ::ffff:93.184.216.34 a9fe:a9fe:: 4000::1 5f00::1 1fff:ffff::1 64:ff9b::5db8:d822
    192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1 2001:0:5db8:d822::1 2002:5db8:d822::1 2001:2::1 2001:3::1 2001:4:112::1
    2001:10::1 2001:2f::1 2001:30::1 2001:1ff::1 2620:4f:8000::1 3fff::1`;
  test.each(others.trim().split(/\s+/))('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a URL (WHK-7)', () => {
  const production = { isProduction: true, allowedHosts: ['hooks.internal', '[::1]'] };
  test.each([
    ['https://example.com/hooks', null],
    ['https://example.com:8443/hooks?x=1', null],
    ['https://93.184.216.34/', null],
    ['https://hooks.internal/', null],
    ['https://[::1]:9000/', null],
    ['http://example.com/', 'must be an https URL'],
    ['ftp://example.com/', 'must be an https URL'],
    ['https://user@example.com/', 'must not have a user name or a password'],
    ['https://:secret@example.com/', 'must not have a user name or a password'],
    ['https://example.com:22/', 'must not have a port of another service'],
    ['https://example.com:443/', null],
    ['https://127.0.0.1/', 'must have a public address'],
    ['https://0x7f.1/', 'must have a public address'],
    ['https://2130706433/', 'must have a public address'],
    ['https://[::ffff:10.0.0.1]/', 'must have a public address'],
    ['https://[fd00::1]/', 'must have a public address'],
    ['no url', 'must be a URL'],
  ])('%s in production: %s', (url, problem) => expect(findUrlProblem(url, production)).toBe(problem));

  test('may be plain http in development', () => {
    expect(findUrlProblem('http://example.com/', { isProduction: false, allowedHosts: [] })).toBeNull();
  });
});

test('a `Retry-After` is seconds or a date, at most a day (WHK-5)', () => {
  const now = new Date('2026-12-01T12:00:00Z');
  const parse = (text: string | undefined) => parseRetryAfter(text, now) / 1000;
  expect([parse('120'), parse('Tue, 01 Dec 2026 13:00:00 GMT'), parse('999999999')]).toEqual([120, 3_600, 86_400]);
  expect([undefined, '', 'soon', '-5', 'Mon, 30 Nov 2026 13:00:00 GMT'].map(parse)).toEqual([0, 0, 0, 0, 0]);
});

describe('a request', () => {
  let server: Server;
  let port: number;
  let requests = 0;
  let answer: RequestListener = (_request, response) => void response.end('thanks');

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests += 1;
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    requests = 0;
    answer = (_request, response) => void response.end('thanks');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const post = (host: string, allowed: string[], resolve?: Resolve, signal = new AbortController().signal) =>
    createOutgoing({ NODE_ENV: 'test', WEBHOOK_ALLOWED_HOSTS: allowed }, resolve).post(`http://${host}:${port}/`, '{}', {}, signal);

  test('reaches an allowed host, and returns the beginning of its answer', async () => {
    answer = (_request, response) => void response.writeHead(201).end('x'.repeat(5_000));
    const { status, problem, text } = await post('127.0.0.1', ['127.0.0.1']);
    expect([status, problem, text]).toEqual([201, null, 'x'.repeat(1_000)]);
  });

  test.each([
    ['a private address', ['127.0.0.1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['a public and a private one', ['93.184.216.34', '127.0.0.1']],
  ])('does not reach a name with %s', async (_what, addresses) => {
    const { problem } = await post('hooks.example.com', [], async () => addresses);
    expect([problem, requests]).toEqual(['address_refused', 0]);
  });

  test('connects to the address that was judged, whatever the name has later', async () => {
    const answers = [['127.0.0.1'], ['93.184.216.34']];
    const { problem } = await post('hooks.example.com', [], async () => answers.shift() ?? []);
    expect([problem, requests, answers.length]).toEqual(['address_refused', 0, 1]);
  });

  test('judges a stored literal address again', async () => {
    expect([(await post('127.0.0.1', [])).problem, requests]).toEqual(['address_refused', 0]);
  });

  test('tells a name without addresses', async () => {
    expect((await post('hooks.example.com', [], async () => [])).problem).toBe('not_resolved');
    expect((await post('hooks.example.com', [], () => Promise.reject(new Error('no server')))).problem).toBe('not_resolved');
  });

  test('follows no redirect', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end();
    expect((await post('localhost', ['localhost'])).status).toBe(302);
    expect(requests).toBe(1);
  });

  test('reads at most 16 KB of an endless answer', async () => {
    let sent = 0;
    answer = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('y'.repeat(1_024))) sent += 1;
      };
      response.on('drain', more);
      more();
    };
    const { status, text } = await post('127.0.0.1', ['127.0.0.1']);
    expect([status, text.length, sent < 10_000]).toEqual([200, 1_000, true]);
  });

  test('WHK-5: ends after its time limit, ten seconds, and at once when the worker stops', async () => {
    expect(outgoingTimeoutMs).toBe(10_000);
    answer = () => undefined;
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    const impatient = createOutgoing({ NODE_ENV: 'test', WEBHOOK_ALLOWED_HOSTS: ['127.0.0.1'] }, undefined, 500);
    const [slow, stopped] = await Promise.all([
      impatient.post(`http://127.0.0.1:${port}/`, '{}', {}, new AbortController().signal),
      post('127.0.0.1', ['127.0.0.1'], undefined, stop.signal),
    ]);
    expect([slow.problem, stopped.problem]).toEqual(['timeout', 'connection_failed']);
    expect(stopped.durationMs).toBeLessThan(5_000);
  });

  test('tells a refused connection and an answer that is no HTTP', async () => {
    const outgoing = createOutgoing({ NODE_ENV: 'test', WEBHOOK_ALLOWED_HOSTS: ['127.0.0.1'] });
    const { signal } = new AbortController();
    expect((await outgoing.post('http://127.0.0.1:1', '{}', {}, signal)).problem).toBe('address_refused');
    answer = (request) => void request.socket.end('nonsense\r\n\r\n');
    expect((await post('127.0.0.1', ['127.0.0.1'])).problem).toBe('connection_failed');
    expect((await outgoing.post(`https://127.0.0.1:${port}`, '{}', {}, signal)).problem).toBe('tls_failed');
  });
});
