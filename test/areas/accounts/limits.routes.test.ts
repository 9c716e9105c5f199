import { randomBytes, randomUUID } from 'node:crypto';
import { afterAnswersDone } from '../../../src/areas/accounts/index.ts';
import { requirePassword } from '../../../src/areas/accounts/password-hash.ts';
import { callersOf } from '../../support/factories/callers.ts';
import type { TestClient } from '../../support/client.ts';
import { countStatements } from '../../support/count-statements.ts';
import { mailsTo } from './account-mails.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** The API is behind one proxy, so that a test can use many addresses; each test has its own. */
const { api, audit } = await useRegistry({
  TRUST_PROXY: 'loopback',
  RATE_LIMIT_LOGINS_PER_15_MINUTES: '3',
  RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: '3',
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: '14',
  RATE_LIMIT_RESETS_PER_HOUR: '2',
  RATE_LIMIT_CALLBACKS_PER_MINUTE: '5',
});
const callers = callersOf(api);

const wrong = 'not-the-password';
const statusesOf = async (answers: Iterable<Promise<{ status: number }>>) => (await Promise.all(answers)).map(({ status }) => status);
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

test('new sessions are limited by address; existing sessions and other addresses are not', async () => {
  const [first] = await Promise.all(times(14, () => callers.browserAt('203.0.113.1')));
  const refused = await callers.at('203.0.113.1').get('/session');
  expect([refused.status, refused.body.error.code, refused.headers.get('ratelimit-limit')]).toEqual([429, 'rate_limited', '14']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
  expect(refused.headers.getSetCookie()).toEqual([]);
  expect((await first?.get('/session'))?.status).toBe(200);
  expect((await callers.at('203.0.113.2').get('/session')).status).toBe(200);
});

test('captchas are limited by session, and by address for many sessions', async () => {
  const browsers = await Promise.all(times(11, () => callers.browserAt('203.0.113.3')));
  const ask = (browser: TestClient | undefined) => browser?.get('/captcha?purpose=contact') ?? Promise.reject(new Error('no browser'));
  expect(await statusesOf([1, 2, 3, 4].map(() => ask(browsers[0])).values())).toEqual(expect.arrayContaining([200, 200, 200, 429]));
  const others = await statusesOf(browsers.slice(1, 10).flatMap((browser) => times(3, () => ask(browser))));
  expect(new Set(others)).toEqual(new Set([200]));
  const beyond = await ask(browsers[10]);
  expect([beyond.status, beyond.headers.get('ratelimit-limit')]).toEqual([429, '30']);
  expect((await ask(await callers.browserAt('203.0.113.4'))).status).toBe(200);
});

test('recovery mails are limited by account, from any address, and the answer does not tell (ACC-22)', async () => {
  const person = await callers.personAt('203.0.113.5');
  const statuses: number[] = [];
  for (const address of ['203.0.113.6', '203.0.113.7', '203.0.113.8', '203.0.113.9']) {
    const browser = await callers.browserAt(address);
    statuses.push((await browser.post('/auth/forgot', { email: person.email, ...(await browser.captcha('forgot')) })).status);
    await afterAnswersDone();
  }
  expect(statuses).toEqual([202, 202, 202, 202]);
  const mails = (await mailsTo(api, person.email)).filter((mail) => mail.includes('/reset?token='));
  expect(mails).toHaveLength(2);
  // The last mailed link stays valid after refused requests.
  const token = /\/reset\?token=([\w-]{43})/.exec(mails[1] ?? '')?.[1];
  const browser = await callers.browserAt('203.0.113.10');
  expect((await browser.post('/auth/reset', { token, password: 'a-quite-different-secret' })).status).toBe(200);
});

test('recovery mails to all accounts are limited by address', async () => {
  const browser = await callers.browserAt('203.0.113.11');
  const ask = (index: number) =>
    browser.post('/auth/forgot', { email: `anybody${index}@example.kz`, captcha_id: randomUUID(), captcha_answer: 'XXXXX' });
  expect(new Set(await statusesOf(times(20, ask)))).toEqual(new Set([422]));
  const refused = await ask(20);
  expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '20']);
});

// ACC-15
describe('a login', () => {
  test('is limited by account from many addresses, but not at a known address of the holder', async () => {
    const holder = await callers.personAt('203.0.113.20');
    const statuses: number[] = [];
    for (let index = 0; index < 8; index += 1) statuses.push(await callers.logInAt(`198.51.100.${index}`, holder.email, wrong));
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
    expect(await callers.logInAt('203.0.113.20', holder.email, holder.password)).toBe(200);
    // At an unknown address the right password is limited too; another account is not.
    expect(await callers.logInAt('203.0.113.21', holder.email, holder.password)).toBe(429);
    expect(await callers.logInAt('203.0.113.21', 'admin@localhost', wrong)).toBe(401);
  });

  test('above a limit is one security event of the account in each window', async () => {
    const holder = await callers.personAt('203.0.113.50');
    const browser = await callers.browserAt('203.0.113.51');
    for (let index = 0; index < 9; index += 1) await browser.post('/auth/login', { email: holder.email, password: wrong });
    for (let index = 0; index < 6; index += 1) await callers.logInAt(`198.51.100.${60 + index}`, holder.email, wrong);
    await api.platform.securityLog.flush();
    const events = await api.sql<{ ip: string; count: number }>(
      `select ip, count, data ->> 'route' as route from security_events where action = 'login.limited' and subject_id = $1 order by id`,
      [String(holder.userId)],
    );
    expect(events).toEqual([
      { ip: '203.0.113.51', count: 1, route: 'logIn' },
      { ip: '198.51.100.62', count: 1, route: 'logIn' },
    ]);
  });

  test('makes its address known for thirty days after the last login', async () => {
    const holder = await callers.personAt('203.0.113.29');
    const known = () =>
      api.sql<{ days: number }>(
        `select round(extract(epoch from resets_at - now()) / 86400)::int as days from attempt_counts where key like 'signed-in:%' order by resets_at limit 1`,
      );
    await api.sql(`delete from attempt_counts where key like 'signed-in:%'`);
    expect(await callers.logInAt('203.0.113.29', holder.email, holder.password)).toBe(200);
    await api.sql(`update attempt_counts set resets_at = now() + interval '1 day' where key like 'signed-in:%'`);
    expect(await callers.logInAt('203.0.113.29', holder.email, holder.password)).toBe(200);
    expect(await known()).toEqual([{ days: 30 }]);
    await api.sql(`update attempt_counts set resets_at = now() where key like 'signed-in:%'`);
    for (let index = 0; index < 2; index += 1) await callers.logInAt(`198.51.100.${150 + index}`, holder.email, wrong);
    expect(await callers.logInAt('203.0.113.99', holder.email, holder.password)).toBe(429);
  });

  test('is possible again from any address after the recovery link is used', async () => {
    const holder = await callers.personAt('203.0.113.22');
    for (let index = 0; index < 3; index += 1) await callers.logInAt(`198.51.100.${100 + index}`, holder.email, wrong);
    expect(await callers.logInAt('203.0.113.23', holder.email, holder.password)).toBe(429);
    const browser = await callers.browserAt('203.0.113.23');
    browser.expect(202, await browser.post('/auth/forgot', { email: holder.email, ...(await browser.captcha('forgot')) }));
    await afterAnswersDone();
    const token = /\/reset\?token=([\w-]{43})/.exec((await mailsTo(api, holder.email)).join())?.[1];
    browser.expect(200, await browser.post('/auth/reset', { token, password: 'a-quite-different-secret' }));
    expect(await callers.logInAt('203.0.113.23', holder.email, 'a-quite-different-secret')).toBe(200);
  });

  test('from one address does not lock the holder out at other addresses', async () => {
    const holder = await callers.personAt('203.0.113.24');
    const browser = await callers.browserAt('203.0.113.25');
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1)
      statuses.push((await browser.post('/auth/login', { email: holder.email, password: wrong })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
    expect(await callers.logInAt('203.0.113.26', holder.email, holder.password)).toBe(200);
  });

  test('is limited by address into many accounts; an IPv6 /64 is one address', async () => {
    const holder = await callers.personAt('203.0.113.27');
    const browsers = await Promise.all(times(3, (index) => callers.browserAt(`2001:db8:0:1::${index}`)));
    const statuses: number[] = [];
    for (let index = 0; index < 33; index += 1) {
      const answer = await browsers[index % 3]?.post('/auth/login', { email: `many${index}@example.kz`, password: wrong });
      statuses.push(answer?.status ?? 0);
    }
    expect(statuses).toEqual([...times(30, () => 401), 429, 429, 429]);
    const refused = await browsers[0]?.post('/auth/login', { email: holder.email, password: holder.password });
    expect([refused?.status, refused?.headers.get('ratelimit-limit')]).toEqual([429, '30']);
    expect(await callers.logInAt('203.0.113.27', holder.email, holder.password)).toBe(200);
  });

  test('leaves no counter for each e-mail after its address is refused', async () => {
    const browser = await callers.browserAt('2001:db8:0:1::9');
    const count = () => api.sql<{ n: number }>(`select count(*)::int as n from attempt_counts where key like 'login%'`);
    const before = await count();
    for (let index = 0; index < 10; index += 1)
      expect((await browser.post('/auth/login', { email: `more${index}@example.kz`, password: wrong })).status).toBe(429);
    expect(await count()).toEqual(before);
  });
});

test('password confirmations are limited by account and by address; right ones are not counted (ACC-9)', async () => {
  const person = await callers.personAt('203.0.113.30');
  const confirm = async (userId: number, password: string, ip: string) =>
    requirePassword(api.platform, userId, password, { ip }).then(
      () => 'confirmed',
      (error: { code: string }) => error.code,
    );
  for (let count = 0; count < 5; count += 1) expect(await confirm(person.userId, person.password, '203.0.113.31')).toBe('confirmed');
  const tried: string[] = [];
  for (let index = 0; index < 32; index += 1) tried.push(await confirm(1_000_000 + index, wrong, '203.0.113.31'));
  expect(tried).toEqual([...times(30, () => 'password_confirmation_failed'), 'rate_limited', 'rate_limited']);
  expect(await confirm(person.userId, person.password, '203.0.113.32')).toBe('confirmed');
});

test('an unknown Bearer key costs one index lookup, a malformed one costs none', async () => {
  await api.stopWorkers();
  const cost = async (authorization: string) => {
    const { statements, result } = await countStatements(() => callers.at('203.0.113.33').get('/profiles', { authorization }));
    expect(result.status).toBe(401);
    return statements.filter(({ text }) => /api_keys|sessions|users/.test(text)).length;
  };
  expect(await cost(`Bearer fsk_${randomBytes(32).toString('base64url')}`)).toBe(1);
  for (const authorization of ['Bearer fsk_short', `Bearer ${'x'.repeat(200)}`, 'Bearer', 'Basic eDp5'])
    expect(await cost(authorization)).toBe(0);
});

test('callbacks above the limit get 429, others are accepted', async () => {
  const post = (address: string) => callers.at(address).post('/bank/callback', { invoice: '123456' });
  expect(await statusesOf(times(5, () => post('203.0.113.34')))).toEqual(times(5, () => 200));
  const refused = await post('203.0.113.34');
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await post('203.0.113.35')).status).toBe(200);
});

test("the audit has the client's real address, not a claimed one (AUD-3)", async () => {
  const person = callers.at('203.0.113.40');
  person.from = '192.0.2.1, 203.0.113.40';
  await person.register('claimed@example.kz', 'Claimed');
  expect((await audit('user', person.userId))[0]).toMatchObject({ action: 'account.registered', ip: '203.0.113.40' });
});

test('the OpenAPI document has 429 with Retry-After for each limited route', async () => {
  const { body } = await api.browser().get('/openapi.json');
  const limited = Object.entries<Record<string, { responses: Record<string, { headers?: object }> }>>(body.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({ name: `${method} ${path}`, refusal: responses['429'] })),
  );
  const without = limited.filter(({ refusal }) => refusal === undefined).map(({ name }) => name);
  expect(without.sort()).toEqual(['get /sandbox/clock', 'post /sandbox/sweep', 'put /sandbox/clock']);
  for (const { refusal } of limited) if (refusal) expect(refusal.headers).toHaveProperty('Retry-After');
});
