import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { loadConfig, requireBotVariables } from '../../src/registry/config.ts';
import { createPlatform } from '../../src/registry/create-platform.ts';
import { BotBlockedError, BotRefusedError, BotUnavailableError } from '../../src/platform/bot/bot.ts';
import { createBot } from '../../src/platform/bot/grammy-bot.ts';
import { startBotPlatform } from '../../src/tools/simulators/bot-platform/server.ts';
import { waitFor } from '../support/wait-for.ts';

const token = '4711:secret-part-of-the-token';
const username = 'some_bot';

/** A platform that gives every request the same answer. */
async function withPlatform(answer: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const failureOf = async (url: string, timeoutMs = 2_000): Promise<unknown> => {
  const bot = createBot({ token, apiUrl: url, username, timeoutMs });
  return bot?.sendMessage(12345, 'private words').then(
    () => null,
    (error: unknown) => error,
  );
};
const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('the bot over HTTP', () => {
  test('there is no bot without a token or without a name', () => {
    expect(createBot({ timeoutMs: 1 })).toBeNull();
    expect(() => createBot({ token, timeoutMs: 1 })).toThrow(TypeError);
  });

  test('a process with a bot requires its name and its secret; only `npm start` has defaults', async () => {
    const half = loadConfig({ NODE_ENV: 'development', BOT_TOKEN: token, BOT_USERNAME: username });
    const problems = ['BOT_WEBHOOK_SECRET is missing: BOT_TOKEN is set'];
    await expect(createPlatform(half, 'test')).rejects.toMatchObject({ name: 'ConfigurationError', problems });
    expect(() => requireBotVariables({ ...half, BOT_WEBHOOK_SECRET: 'a-secret-that-is-long' })).not.toThrow();
    expect(() => requireBotVariables(loadConfig({ NODE_ENV: 'development' }))).not.toThrow();
  });

  const failures: [string, RequestListener, typeof BotBlockedError | typeof BotRefusedError | typeof BotUnavailableError, number | null][] =
    [
      ['blocked', json(403, { ok: false, error_code: 403, description: 'Forbidden: bot was blocked by the user' }), BotBlockedError, null],
      ['a chat that is gone', json(400, { ok: false, error_code: 400, description: 'Bad Request: chat not found' }), BotBlockedError, null],
      ['a message that it never takes', json(400, { ok: false, error_code: 400, description: 'Bad Request: x' }), BotRefusedError, null],
      ['a token that is refused', json(401, { ok: false, error_code: 401, description: 'Unauthorized' }), BotUnavailableError, null],
      [
        'too many requests',
        json(429, { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 17 } }),
        BotUnavailableError,
        17_000,
      ],
      ['a server error', json(500, { ok: false, error_code: 500, description: 'Internal' }), BotUnavailableError, null],
      ['no JSON', (_, response) => void response.end('<html>502</html>'), BotUnavailableError, null],
      ['JSON of another server', json(200, 'hello'), BotUnavailableError, null],
      ['nothing but JSON', json(200, null), BotUnavailableError, null],
      ['an answer without end', (_, response) => void response.end(`"${'x'.repeat(1024 * 1024)}"`), BotUnavailableError, null],
      ['a cut connection', (request) => void request.socket.destroy(), BotUnavailableError, null],
      ['silence', () => undefined, BotUnavailableError, null],
      ['silence after the head', (_, response) => void response.write('{'), BotUnavailableError, null],
    ];
  test.each(failures)('%s', async (name, answer, kind, retryAfterMs) => {
    await withPlatform(answer, async (url) => {
      const error = await failureOf(url, name.startsWith('silence') ? 300 : 2_000);
      expect(error).toBeInstanceOf(kind);
      if (error instanceof BotUnavailableError) expect(error.retryAfterMs).toBe(retryAfterMs);
      const shown = inspect(error, { depth: 9, showHidden: true }) + (error instanceof Error ? error.stack : '');
      for (const secret of ['secret-part', '12345', 'private words']) expect(shown).not.toContain(secret);
    });
  });

  test('the bot does not follow a redirect, which would send the token to another server', async () => {
    const asked: string[] = [];
    await withPlatform(
      (request, response) => {
        asked.push(request.url ?? '');
        response.end('{"ok":true,"result":true}');
      },
      (elsewhere) =>
        withPlatform(
          (request, response) => void response.writeHead(302, { location: elsewhere + (request.url ?? '') }).end(),
          async (url) => expect(await failureOf(url)).toBeInstanceOf(BotUnavailableError),
        ),
    );
    expect(asked).toEqual([]);
  });

  test('the platform is unreachable', async () => {
    expect(await failureOf('http://127.0.0.1:1/')).toBeInstanceOf(BotUnavailableError);
  });
});

describe('the simulator of its platform', () => {
  const form = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers });

  test('has a phone page with forms: written text stays text', async () => {
    const platform = await startBotPlatform({ port: 0, token, username });
    try {
      const name = '<b>"Айгерим" & co</b>';
      const opened = await form(`${platform.url}/open`, { link: 'https://t.me/some_bot?start=abc', phone: 'new', name, language: 'kk' });
      expect(opened.status).toBe(303);
      const chat = platform.url + (opened.headers.get('location') ?? '');
      const bot = createBot({ token, apiUrl: `${platform.url}/`, username, timeoutMs: 2_000 });
      const chatId = Number(chat.split('/').at(-1));
      await bot?.sendMessage(chatId, '<script>alert(1)</script>');
      await bot?.setCommands('kk', [{ command: 'balance', description: '"><i>' }]);
      for (const path of [chat, `${platform.url}/`, `${platform.url}/some_bot?start="><i>`]) {
        const page = await (await fetch(path)).text();
        expect(page).not.toMatch(/<(b|i|script)>/);
        expect(page).not.toContain('secret-part');
      }
      const page = await (await fetch(chat)).text();
      expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(page).toContain('/start abc');

      await form(`${chat}/block`, {});
      await expect(bot?.sendMessage(chatId, 'x')).rejects.toBeInstanceOf(BotBlockedError);
      expect((await form(`${chat}/messages`, { text: 'x' })).status).toBe(409);
      await form(`${chat}/unblock`, {});
      await bot?.sendMessage(chatId, 'x');
      expect((await form(`${chat}/messages`, { text: 'x' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await form(`${platform.url}/open`, { link: 'https://example.kz', phone: 'new' })).status).toBe(422);
      await expect(bot?.sendMessage(chatId + 1, 'x')).rejects.toBeInstanceOf(BotBlockedError);
      await expect(bot?.sendMessage(chatId, ' ')).rejects.toBeInstanceOf(BotRefusedError);
      const stranger = createBot({ token: `${token}x`, apiUrl: platform.url, username, timeoutMs: 2_000 });
      await expect(stranger?.sendMessage(chatId, 'x')).rejects.toBeInstanceOf(BotUnavailableError);
    } finally {
      await platform.close();
    }
  });

  test('delivers an update until it is accepted, in the order of the chat, with the secret', async () => {
    const taken: { text: string; secret: unknown }[] = [];
    let refusals = 2;
    await withPlatform(
      (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          refusals -= 1;
          if (refusals >= 0) return void response.writeHead(503).end();
          taken.push({ text: JSON.parse(body).message.text, secret: request.headers['x-telegram-bot-api-secret-token'] });
          return void response.end('{}');
        });
      },
      async (url) => {
        const platform = await startBotPlatform({ port: 0, token, username });
        try {
          const bot = createBot({ token, apiUrl: platform.url, username, timeoutMs: 2_000 });
          await bot?.setWebhook({ url, secret: 'the-secret', updates: ['message'] });
          const opened = await fetch(`${platform.url}/control/chats`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{}',
          });
          const { id } = (await opened.json()) as { id: number };
          for (const text of ['1', '2', '3']) await form(`${platform.url}/phones/${id}/messages`, { text });
          await waitFor(
            () => taken,
            ({ length }) => length === 3,
            'three updates',
          );
          expect(taken).toEqual(['1', '2', '3'].map((text) => ({ text, secret: 'the-secret' })));
        } finally {
          await platform.close();
        }
      },
    );
  });

  test('keeps phones and the webhook over a restart, and uses each update number once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-messenger-'));
    const file = join(folder, 'messenger.json');
    try {
      const start = () => startBotPlatform({ port: 0, token, username, file });
      let platform = await start();
      const bot = createBot({ token, apiUrl: platform.url, username, timeoutMs: 2_000 });
      await bot?.setWebhook({ url: 'http://127.0.0.1:1/', secret: 'the-secret', updates: ['message'] });
      const { location } = Object.fromEntries((await form(`${platform.url}/phones`, { name: 'A', language: 'ru' })).headers);
      await form(`${platform.url}${location}/messages`, { text: 'hello' });
      const before = JSON.parse(await readFile(file, 'utf8'));
      await platform.close();
      platform = await start();
      const page = await (await fetch(`${platform.url}${location}`)).text();
      expect(page).toContain('hello');
      await form(`${platform.url}${location}/messages`, { text: 'again' });
      const after = JSON.parse(await readFile(file, 'utf8'));
      expect(after.nextUpdateId).toBe(before.nextUpdateId + 1);
      expect(after.webhook.url).toBe('http://127.0.0.1:1/');
      await platform.close();
      await writeFile(file, '{"version":9}');
      await expect(start()).rejects.toThrow('remove it to start with empty');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('a port in use is reported by its code', async () => {
    const platform = await startBotPlatform({ port: 0, token, username });
    await expect(startBotPlatform({ port: platform.port, token, username })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await platform.close();
  });
});
