import { once } from 'node:events';
import { createClient, RegistryError, type RegistryClientOptions } from '../../client/src/index.ts';
import { answer, refuse, type Script, startScriptedServer } from '../support/outside-servers/scripted-server.ts';

/** Retries of the client against servers that fail. */

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function clientOf(options: Partial<RegistryClientOptions>, ...scripts: [Script, ...Script[]]) {
  const server = await startScriptedServer(...scripts);
  opened.push(server.close);
  return { server, client: createClient({ baseUrl: server.url, apiKey: 'fsk_test', ...options }) };
}

const message = { body: { message: 'Hello' } };
const made = answer({ id: 7 });
const reset: Script = (response) => response.destroy();
const half: Script = (response) => {
  response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': '100' });
  response.write('{"data":', () => response.destroy());
};
const soon = { 'Retry-After': '0' };

test.each<[string, Script]>([
  ['503', refuse(503, 'workflow_unavailable', soon)],
  ['429', refuse(429, 'rate_limited', soon)],
  ['502 of a proxy', (response) => response.writeHead(502, { 'Content-Type': 'text/html', ...soon }).end('<h1>Bad gateway</h1>')],
  ['504 of a proxy', (response) => response.writeHead(504, soon).end()],
  ['a first attempt in progress', refuse(409, 'request_in_progress', soon)],
  ['a lost connection', reset],
  ['a connection lost within the answer', half],
])('a write is repeated with its key and body after %s', async (_what, failure) => {
  const { server, client } = await clientOf({}, failure, made);
  expect((await client.POST('/chat/messages', message)).data.id).toBe(7);
  const [first, second] = server.received;
  expect(server.received).toHaveLength(2);
  expect([second?.method, second?.url, second?.body]).toEqual(['POST', '/api/v1/chat/messages', JSON.stringify(message.body)]);
  expect([first?.body, first?.headers['authorization']]).toEqual([second?.body, 'Bearer fsk_test']);
  expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
});

test('each write has a key of its own, or the given one; a read has none', async () => {
  const { server, client } = await clientOf({}, made);
  await client.POST('/chat/messages', message);
  await client.POST('/chat/messages', message);
  await client.POST('/chat/messages', { ...message, params: { header: { 'Idempotency-Key': 'mine' } } });
  await client.GET('/profiles');
  const [one, two, mine, none] = server.received.map(({ headers }) => headers['idempotency-key']);
  expect(one).not.toBe(two);
  expect([mine, none]).toEqual(['mine', undefined]);
});

test.each([
  [409, 'invalid_state'],
  [422, 'validation_failed'],
  [410, 'cursor_expired'],
  [500, 'internal_error'],
])('%i %s is not repeated', async (status, code) => {
  const { server, client } = await clientOf({}, refuse(status, code, {}, { limit: 3 }));
  const error = await client.POST('/chat/messages', message).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RegistryError);
  expect(error).toMatchObject({ status, code, message: code, details: { limit: 3 }, requestId: 'request-2' });
  expect(server.received).toHaveLength(1);
});

test('a write that takes no key is sent once', async () => {
  const { server, client } = await clientOf({}, reset);
  const body = { name: 'A', email: 'a@example.kz', subject: 'B', message: 'Hello', captcha_id: 'c', captcha_answer: 'd' };
  await expect(client.POST('/contact', { body, params: { header: { 'X-CSRF-Token': 'token' } } })).rejects.toThrow(TypeError);
  expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined]);
});

test('an answer of a proxy has a code too', async () => {
  const html: Script = (response) => response.writeHead(413, { 'X-Request-Id': 'of-proxy' }).end('<h1>Too large</h1>');
  const { client } = await clientOf({}, html);
  await expect(client.GET('/profiles')).rejects.toMatchObject({ code: 'http_413', status: 413, requestId: 'of-proxy', details: {} });
});

test.each([
  ['seconds', () => '1'],
  ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
])('obeys a Retry-After of %s', async (_what, retryAfter) => {
  const { server, client } = await clientOf(
    {},
    (response, request) => refuse(429, 'rate_limited', { 'Retry-After': retryAfter() })(response, request),
    made,
  );
  await client.GET('/profiles');
  const [first, second] = server.received;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(900);
});

test('throws at once when it would wait longer than a call may take', async () => {
  const { server, client } = await clientOf({ retry: { totalMs: 5_000 } }, refuse(429, 'rate_limited', { 'Retry-After': '60' }));
  await expect(client.GET('/profiles')).rejects.toMatchObject({ code: 'rate_limited' });
  expect(server.received).toHaveLength(1);
});

test('throws the last refusal after its attempts', async () => {
  const { server, client } = await clientOf({ retry: { attempts: 3 } }, refuse(503, 'bank_unavailable', soon));
  await expect(client.GET('/profiles')).rejects.toMatchObject({ code: 'bank_unavailable' });
  expect(server.received).toHaveLength(3);
});

test('throws the cause when no attempt is answered', async () => {
  const { server, client } = await clientOf({ retry: { attempts: 2 } }, reset);
  await expect(client.GET('/profiles')).rejects.toThrow(TypeError);
  expect(server.received).toHaveLength(2);
});

test('waits for a first attempt that is in progress beyond its attempts', async () => {
  const progress = refuse(409, 'request_in_progress', soon);
  const { server, client } = await clientOf({ retry: { attempts: 2 } }, reset, progress, progress, progress, made);
  expect((await client.POST('/chat/messages', message)).data.id).toBe(7);
  expect(server.received).toHaveLength(5);
});

test('takes a silent server as a lost connection', async () => {
  const { server, client } = await clientOf({ retry: { attemptMs: 100 } }, () => undefined, made);
  expect((await client.POST('/chat/messages', message)).data.id).toBe(7);
  expect(server.received).toHaveLength(2);
});

test('all attempts together are bounded', async () => {
  const { client } = await clientOf({ retry: { totalMs: 300 } }, () => undefined);
  await expect(client.GET('/profiles')).rejects.toMatchObject({ name: 'TimeoutError' });
});

test.each<[string, Script]>([
  ['a wait', refuse(503, 'service_unavailable', { 'Retry-After': '100' })],
  ['an attempt', () => undefined],
])('a signal ends %s', async (_what, script) => {
  const called = new EventTarget();
  const { server, client } = await clientOf({}, (response, request) => {
    script(response, request);
    called.dispatchEvent(new Event('call'));
  });
  const abort = new AbortController();
  const isCalled = once(called, 'call');
  const call = client.GET('/profiles', { signal: abort.signal });
  await isCalled;
  abort.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  expect(server.received).toHaveLength(1);
});

test('an upload is repeated with the same bytes', async () => {
  const { server, client } = await clientOf({}, reset, answer({ id: 'file-1' }));
  const file = await client.upload('photo', new Blob(['pixels'], { type: 'image/jpeg' }), 'portrait.jpg');
  expect(file.id).toBe('file-1');
  const [first, second] = server.received;
  expect(second?.body).toBe(first?.body);
  expect(second?.body).toContain('filename="portrait.jpg"\r\nContent-Type: image/jpeg\r\n\r\npixels');
  expect(second?.body.indexOf('name="purpose"')).toBeLessThan(second?.body.indexOf('name="file"') ?? 0);
});
