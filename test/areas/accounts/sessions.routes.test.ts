import { createHmac } from 'node:crypto';
import type { TestClient } from '../../support/client.ts';
import { administratorPassword } from '../../support/sign-up.ts';
import { startTestApi, type TestApi } from '../../support/test-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import { problemsOf, wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

const password = 'a-long-enough-secret';
const auditOf = (userId: number) => audit('user', userId);
/** Reads the browser's session from the database. */
async function sessionOf(client: TestClient): Promise<{ id: string }> {
  const [row] = await api.sql<{ id: string }>('select id from sessions where csrf_token = $1', [client.csrf]);
  if (!row) throw new Error('the browser has no session');
  return row;
}

describe('GET /session', () => {
  test('starts an anonymous session, once, with a cookie that scripts cannot read', async () => {
    const browser = api.browser();
    const first = await browser.session();
    expect(first.body.data).toEqual({ csrf_token: expect.stringMatching(/^[\w-]{43}$/), user: null, impersonation: null });
    expect(first.headers.getSetCookie()[0]).toMatch(/^registry_session=[\w-]{43}; path=\/; samesite=lax; httponly$/i);
    const second = await browser.session();
    expect(second.body.data.csrf_token).toBe(first.body.data.csrf_token);
    expect(second.headers.getSetCookie()).toEqual([]);
  });

  test('stores nothing that reveals the cookie, signs it with SHA-256, and starts a new session for a forged one', async () => {
    const browser = api.browser();
    await browser.session();
    const [, token = '', signature] = /registry_session=([\w-]+); registry_session\.sig=([\w-]+)/.exec(browser.cookie ?? '') ?? [];
    const [row] = await api.sql('select * from sessions where csrf_token = $1', [browser.csrf]);
    expect(JSON.stringify(row)).not.toContain(token);
    const sign = (digest: string) =>
      createHmac(digest, api.platform.config.SESSION_SECRET ?? '')
        .update(`registry_session=${token}`)
        .digest('base64url');
    expect(signature).toBe(sign('sha256'));
    const { csrf } = browser;
    for (const forged of [`${token}; registry_session.sig=${sign('sha1')}`, `x${token}; registry_session.sig=${signature}`]) {
      browser.cookie = `registry_session=${forged}`;
      expect((await browser.session()).body.data.csrf_token).not.toBe(csrf);
    }
  });

  test('shows the signed-in user, and is not for programs', async () => {
    const person = await api.user('Дәурен');
    expect((await person.session()).body.data).toMatchObject({
      user: { id: person.userId, email: person.email, name: 'Дәурен', phone: null, role: 'user', language: 'ru' },
    });
    const program = await person.program(['profiles:read']);
    expect((await program.get('/session')).body.error.code).toBe('browser_session_required');
  });
});

// ACC-4
describe('the CSRF token', () => {
  test('is required for a write, with or without a sign-in or a session', async () => {
    const [person, other] = [await api.user(), await api.user()];
    for (const token of [null, 'x'.repeat(43), 'x', other.csrf]) {
      person.csrf = token;
      const answer = await person.post('/auth/logout');
      expect([token, answer.status, answer.body.error.code]).toEqual([token, 419, 'csrf_failed']);
    }
    const anonymous = api.browser();
    expect((await anonymous.post('/auth/login', { email: 'a@b.kz', password })).status).toBe(419);
    await anonymous.session();
    anonymous.csrf = null;
    expect((await anonymous.post('/auth/login', { email: 'a@b.kz', password })).status).toBe(419);
  });

  test.each([
    ['another site', { origin: 'https://elsewhere.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['another port of the same host', { origin: 'http://127.0.0.1:1' }],
    ['an address that begins like ours', { origin: 'OURS.elsewhere.example' }],
    ['a neighbouring host, by a browser that names no origin', { 'sec-fetch-site': 'same-site' }],
    ['another site, by a browser that names no origin', { 'sec-fetch-site': 'cross-site' }],
  ])('is refused from the page of %s', async (_name, headers) => {
    const person = await api.user();
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('OURS', api.url)]));
    const answer = await person.post('/auth/logout', undefined, sent);
    expect([answer.status, answer.body.error.code]).toEqual([419, 'csrf_failed']);
    // Reads are allowed: they change nothing, and browsers do not show the answer to another page.
    person.expect(200, await person.get('/account', sent));
    const program = await person.program(['files:write']);
    expect((await program.delete('/files/00000000-0000-4000-8000-000000000000', undefined, sent)).status).toBe(404);
  });

  test.each([{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, { origin: 'OURS', 'sec-fetch-site': 'cross-site' }, {}])(
    'is accepted from a page of this service, and from a program that names none: %j',
    async (headers) => {
      const person = await api.user();
      const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('OURS', api.url)]));
      person.expect(200, await person.post('/auth/logout', undefined, sent));
    },
  );
});

describe('behind https', () => {
  let secure: TestApi;
  beforeAll(async () => {
    secure = await startTestApi({ BASE_URL: 'https://registry.example' });
  });
  afterAll(() => secure.close());

  test('the cookie has the __Host- prefix, and only pages of the public address may write', async () => {
    const browser = secure.browser();
    const { headers } = await browser.session();
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    const cookies = headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies)
      expect(cookie).toMatch(/^__Host-registry_session(\.sig)?=[\w-]+; path=\/; samesite=lax; secure; httponly$/i);
    expect((await browser.session()).headers.getSetCookie()).toEqual([]);
    const login = { email: 'admin@localhost', password: administratorPassword };
    expect((await browser.post('/auth/login', login, { origin: secure.url })).status).toBe(419);
    browser.expect(200, await browser.post('/auth/login', login, { origin: 'https://registry.example' }));
    // Another host of the domain could have set a cookie with the plain name.
    browser.cookie = (browser.cookie ?? '').replaceAll('__Host-', '');
    expect((await browser.get('/account')).status).toBe(401);
  });

  test('answers to signed-in callers are not cached', async () => {
    const administrator = await secure.administrator();
    for (const path of ['/account', '/profiles', '/wallet', '/admin/queue', '/profiles/1'])
      expect([path, (await administrator.get(path)).headers.get('cache-control')]).toEqual([path, 'no-store']);
  });
});

describe('GET /captcha', () => {
  test('answers a PNG for ten minutes, bound to the session, with a durable timer (ACC-5)', async () => {
    const browser = api.browser();
    await browser.session();
    const { status, body } = await browser.get('/captcha?purpose=register');
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: expect.any(String),
      captcha_id: body.data.id,
      image: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/),
      expires_at: expect.any(String),
    });
    const { id } = await sessionOf(browser);
    const [row] = await api.sql<{ lifetime: number; answer_hash: string }>(
      'select extract(epoch from expires_at - created_at)::int as lifetime, answer_hash from captchas where session_id = $1',
      [id],
    );
    expect(row?.lifetime).toBe(600);
    await waitFor(
      () => api.platform.processes.describe(`captcha/${id}`),
      (seen) => seen?.status === 'running',
      'the timer of the captcha',
    );
  });

  test('refuses a missing session, an unknown purpose and an unknown field', async () => {
    expect((await api.browser().get('/captcha?purpose=register')).status).toBe(401);
    const browser = api.browser();
    await browser.session();
    expect(wrongFieldsOf(await browser.get('/captcha?purpose=payment&colour=red'))).toEqual(['query.colour', 'query.purpose']);
  });

  test('of two concurrent captchas exactly one stays open', async () => {
    const browser = api.browser();
    await browser.session();
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.get('/captcha?purpose=register')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const rows = await api.sql<{ closed_by: string | null }>('select closed_by from captchas where session_id = $1', [
      (await sessionOf(browser)).id,
    ]);
    expect(rows.map(({ closed_by }) => closed_by ?? 'open').sort()).toEqual(['newer', 'newer', 'newer', 'open']);
  });
});

describe('POST /auth/login', () => {
  test('renews session, cookie and CSRF token; the former ones are void (ACC-3)', async () => {
    const person = await api.user();
    const browser = api.browser();
    await browser.session();
    const before = browser.copy();
    const beforeId = (await sessionOf(browser)).id;
    const answer = browser.expect(200, await browser.post('/auth/login', { email: person.email.toUpperCase(), password }));
    expect(answer.body.data).toMatchObject({ csrf_token: expect.not.stringMatching(browser.csrf ?? ''), user: { id: person.userId } });
    expect(browser.cookie).not.toBe(before.cookie);
    browser.csrf = answer.body.data.csrf_token;
    expect((await sessionOf(browser)).id).not.toBe(beforeId);
    expect((await before.get('/account')).status).toBe(401);
    expect((await before.post('/auth/logout')).status).toBe(419);
    expect((await auditOf(person.userId)).at(-1)).toMatchObject({ action: 'session.started', actor_id: person.userId });
  });

  test('answers the same to a wrong password and an unknown e-mail (ACC-2)', async () => {
    const person = await api.user();
    const browser = api.browser();
    await browser.session();
    const wrong = await browser.post('/auth/login', { email: person.email, password: 'not-the-password' });
    const unknown = await browser.post('/auth/login', { email: `unknown-${person.email}`, password: 'not-the-password' });
    expect([wrong.status, wrong.body.error]).toEqual([401, { code: 'invalid_credentials', message: expect.any(String) }]);
    expect([unknown.status, unknown.body.error]).toEqual([wrong.status, wrong.body.error]);
  });

  test('reports every wrong field at once', async () => {
    const browser = api.browser();
    await browser.session();
    expect(problemsOf(await browser.post('/auth/login', { email: 'not-an-email', remember: true }))).toEqual([
      'body.email invalid_format',
      'body.password required',
      'body.remember unknown_field',
    ]);
  });
});

describe('POST /auth/logout', () => {
  test('ends the session and gives the browser an anonymous one (ACC-3)', async () => {
    const person = await api.user();
    const before = person.copy();
    const answer = person.expect(200, await person.post('/auth/logout'));
    expect(answer.body.data).toMatchObject({ user: null, csrf_token: expect.not.stringMatching(before.csrf ?? '') });
    expect((await person.get('/account')).status).toBe(401);
    expect((await before.get('/account')).status).toBe(401);
    expect((await auditOf(person.userId)).at(-1)).toMatchObject({ action: 'session.ended', actor_id: person.userId });
  });

  test('may be sent again', async () => {
    const person = await api.user();
    for (let count = 0; count < 2; count += 1) {
      person.csrf = person.expect(200, await person.post('/auth/logout')).body.data.csrf_token;
    }
    expect((await auditOf(person.userId)).filter(({ action }) => action === 'session.ended')).toHaveLength(1);
  });
});

// ACC-21
describe('a session ends', () => {
  test.each([
    ['after 12 hours without use', `last_seen_at = now() - interval '12 hours 1 minute'`],
    ['30 days after it began', `expires_at = now() - interval '1 second'`],
  ])('%s', async (_case, change) => {
    const person = await api.user();
    expect((await person.get('/account')).status).toBe(200);
    await api.sql(`update sessions set ${change} where id = $1`, [(await sessionOf(person)).id]);
    expect((await person.get('/account')).status).toBe(401);
    expect((await person.session()).body.data.user).toBeNull();
  });

  test('and its last use is written at most once a minute', async () => {
    const person = await api.user();
    const { id } = await sessionOf(person);
    const lastSeen = async () =>
      (await api.sql<{ last_seen_at: Date }>('select last_seen_at from sessions where id = $1', [id]))[0]?.last_seen_at.getTime() ?? 0;
    const before = await lastSeen();
    await person.get('/account');
    expect(await lastSeen()).toBe(before);
    await api.sql(`update sessions set last_seen_at = last_seen_at - interval '2 minutes' where id = $1`, [id]);
    await person.get('/account');
    expect(await lastSeen()).toBeGreaterThanOrEqual(before);
  });
});

describe('GET /account', () => {
  test('answers user, role, scopes and session', async () => {
    expect((await api.browser().get('/account')).status).toBe(401);
    const person = await api.user();
    const { body } = await person.get('/account');
    expect(body.data).toMatchObject({
      user: { id: person.userId },
      role: 'user',
      by: 'session',
      session: { id: (await sessionOf(person)).id },
      key: null,
      impersonation: null,
    });
    expect(body.data.scopes).toHaveLength(14);
    expect((await (await api.administrator()).get('/account')).body.data.scopes).toHaveLength(16);
  });
});
