import { randomUUID } from 'node:crypto';
import { type RunningApi, startApi } from '../../../src/api.ts';
import { encryptSecretsAnew } from '../../../src/areas/accounts/index.ts';
import { required } from '../../../src/registry/config.ts';
import type { Route } from '../../../src/http/define-route.ts';
import { findSecret } from '../../../src/platform/secrets/encryption.ts';
import { allRoutes } from '../../../src/registry/routes.ts';
import { TestClient } from '../../support/client.ts';
import { openStream } from '../../support/event-stream.ts';
import { totpCode } from '../../support/identities/totp.ts';
import { waitFor } from '../../support/wait-for.ts';
import { requestRecovery, waitForMails, waitForTokens } from './account-mails.ts';
import { codeOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

interface Holder {
  client: TestClient;
  secret: string;
  recoveryCodes: string[];
}

const path = '/account/second-factor';

/** Sets a second factor up. The code of the present step is used then; the one of the next step is still free. */
async function withFactor(client: TestClient): Promise<Holder> {
  const { secret } = client.expect(200, await client.post(path, { password: client.password })).body.data;
  const confirmed = client.expect(200, await client.post(`${path}/confirm`, { code: totpCode(secret) }));
  return { client, secret, recoveryCodes: confirmed.body.data.recovery_codes };
}
/** Makes the codes of the present steps usable again. */
const forgetSteps = ({ client }: Pick<Holder, 'client'>) =>
  api.sql('update second_factors set last_step = 0 where user_id = $1', [client.userId]);

/** A browser in which the password was given. */
async function halfSignedIn({ email, password }: Pick<TestClient, 'email' | 'password'>, url = api.url): Promise<TestClient> {
  const browser = new TestClient(url);
  await browser.session();
  const { data } = browser.expect(200, await browser.post('/auth/login', { email, password })).body;
  expect(data).toMatchObject({ second_factor_required: true, user: null });
  browser.csrf = data.csrf_token;
  return browser;
}
const give = (browser: TestClient, proof: object) => browser.post('/auth/second-factor', proof);
const auditOf = ({ userId }: TestClient) => audit('user', userId);
const mailAbout = async (client: TestClient, subject: string) => (await waitForMails(api, client.email, subject))[0];

describe('setting up (ACC-27)', () => {
  test('a secret waits for its first code; the recovery codes are shown once and stored as hashes', async () => {
    const person = await api.user();
    const shown = person.expect(200, await person.post(path, { password: person.password })).body.data;
    expect(shown.secret).toMatch(/^[A-Z2-7]{32}$/);
    const url = new URL(shown.otpauth_url);
    expect([url.protocol, url.host, url.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', shown.secret]);
    expect(shown.qr).toMatch(/^data:image\/png;base64,/);
    expect((await person.get('/account')).body.data.user.second_factor).toBe(false);
    expect(codeOf(await person.post(`${path}/confirm`, { code: wrongCode(shown.secret) }))).toBe('403 second_factor_failed');

    const answer = person.expect(200, await person.post(`${path}/confirm`, { code: totpCode(shown.secret) }));
    const codes: string[] = answer.body.data.recovery_codes;
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){6}[A-Z2-7]{4}$/);
    expect((await person.get('/account')).body.data.user.second_factor).toBe(true);
    const [row] = await api.sql('select * from second_factors where user_id = $1', [person.userId]);
    for (const secret of [shown.secret, ...codes]) expect(JSON.stringify(row)).not.toContain(secret);
    expect(codeOf(await person.post(`${path}/confirm`, { code: totpCode(shown.secret, 1) }))).toBe('409 invalid_state');
    expect((await auditOf(person)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['second_factor.requested', 'second_factor.confirmed']),
    );
    const history = JSON.stringify(await auditOf(person));
    for (const secret of [shown.secret, ...codes]) expect(history).not.toContain(secret);
    expect(await mailAbout(person, 'Вход в Вашу учётную запись теперь требует код')).not.toContain(shown.secret);
  });

  test('a newer secret replaces the waiting one; the one in force stays until its successor is confirmed', async () => {
    const person = await api.user();
    const first = person.expect(200, await person.post(path, { password: person.password })).body.data.secret;
    const holder = await withFactor(person);
    expect(holder.secret).not.toBe(first);
    const wanted = { password: person.password, code: totpCode(holder.secret, 1) };
    const { secret } = person.expect(200, await person.post(path, wanted)).body.data;
    await forgetSteps(holder);
    const browser = await halfSignedIn(person);
    expect(codeOf(await give(browser, { code: totpCode(secret) }))).toBe('403 second_factor_failed');
    browser.expect(200, await give(browser, { code: totpCode(holder.secret) }));
    person.expect(200, await person.post(`${path}/confirm`, { code: totpCode(secret) }));
    const later = await halfSignedIn(person);
    expect(codeOf(await give(later, { code: totpCode(holder.secret, 1) }))).toBe('403 second_factor_failed');
    expect(codeOf(await give(later, { recovery_code: holder.recoveryCodes[0] }))).toBe('403 second_factor_failed');
    later.expect(200, await give(later, { code: totpCode(secret, 1) }));
  });

  test('needs the password in a browser; under a key it is refused', async () => {
    const person = await api.user();
    expect(codeOf(await person.post(path, { password: 'not-the-password' }))).toBe('403 password_confirmation_failed');
    expect(codeOf(await person.post(path, {}))).toBe('422 validation_failed');
    for (const code of ['12345', '1234567', 'abcdef', ''])
      expect(codeOf(await person.post(`${path}/confirm`, { code }))).toBe('422 validation_failed');
    const program = await person.program(['files:read']);
    expect(codeOf(await program.post(path, { password: person.password }))).toBe('403 browser_session_required');
    expect(codeOf(await person.post(`${path}/confirm`, { code: '123456' }))).toBe('409 invalid_state');
  });
});

/** Six digits that no accepted step has. */
function wrongCode(secret: string): string {
  const right = new Set([-2, -1, 0, 1, 2].map((later) => totpCode(secret, later)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.has(code)) ?? '';
}

describe('login (ACC-28)', () => {
  test('until the code the session can only read itself and log out; the code renews id and CSRF token', async () => {
    const holder = await withFactor(await api.user());
    const browser = await halfSignedIn(holder.client);
    for (const refused of ['/account', '/profiles', '/account/sessions', '/captcha?purpose=contact'])
      expect([refused, codeOf(await browser.get(refused))]).toEqual([refused, '403 second_factor_required']);
    expect(codeOf(await browser.post('/auth/login', { email: 'a@example.kz', password: 'b' }))).toBe('403 second_factor_required');
    expect(codeOf(await browser.post(path, { password: holder.client.password }))).toBe('403 second_factor_required');
    expect((await browser.get('/session')).body.data).toMatchObject({ user: null, second_factor_required: true, csrf_token: browser.csrf });
    // It is no session of the account yet.
    expect((await holder.client.get('/account/sessions')).body.data).toHaveLength(1);

    const [cookie, csrf] = [browser.cookie, browser.csrf];
    const answer = browser.expect(200, await give(browser, { code: totpCode(holder.secret, 1) }));
    expect(answer.body.data).toMatchObject({ user: { id: holder.client.userId, second_factor: true } });
    expect([browser.cookie === cookie, answer.body.data.csrf_token === csrf]).toEqual([false, false]);
    browser.csrf = answer.body.data.csrf_token;
    expect((await browser.get('/account')).status).toBe(200);
    expect(codeOf(await give(browser, { code: totpCode(holder.secret, 1) }))).toBe('409 invalid_state');
    const former = Object.assign(new TestClient(api.url), { cookie });
    expect(codeOf(await former.get('/account'))).toBe('401 unauthenticated');
    const actions = (await auditOf(holder.client)).map(({ action }) => action).slice(-2);
    expect(actions).toEqual(['session.second_factor_awaited', 'session.started']);
    const logout = await halfSignedIn(holder.client);
    expect((await logout.post('/auth/logout')).body.data).toMatchObject({ user: null });
  });

  test('a half session reaches no route but the session, its code and the logout', async () => {
    const browser = await halfSignedIn((await withFactor(await api.user())).client);
    const credentialed = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: api.url }).filter(
      ({ access }) => access.kind !== 'public',
    );
    const isOpen = ({ access }: Route) => access.kind === 'session' && access.isBeforeSecondFactor === true;
    expect(credentialed.filter(isOpen).map(({ name }) => name)).toEqual(['getSession', 'logOut', 'completeLogin']);
    const answers: string[] = [];
    for (const { name, method, path: template } of credentialed.filter((route) => !isOpen(route)))
      answers.push(`${name} ${codeOf(await browser.request(method, template.replaceAll(/:\w+/g, '1')))}`);
    expect(answers.filter((answer) => !answer.endsWith(' 403 second_factor_required'))).toEqual([]);
  });

  test('a code counts once, and not after a later one; a code of two steps ago is refused', async () => {
    const holder = await withFactor(await api.user());
    const browser = await halfSignedIn(holder.client);
    // The present code was used to confirm.
    expect(codeOf(await give(browser, { code: totpCode(holder.secret) }))).toBe('403 second_factor_failed');
    browser.expect(200, await give(browser, { code: totpCode(holder.secret, 1) }));
    const later = await halfSignedIn(holder.client);
    for (const steps of [1, 0, -1])
      expect(codeOf(await give(later, { code: totpCode(holder.secret, steps) }))).toBe('403 second_factor_failed');
    await forgetSteps(holder);
    for (const steps of [-2, 3])
      expect(codeOf(await give(later, { code: totpCode(holder.secret, steps) }))).toBe('403 second_factor_failed');
    later.expect(200, await give(later, { code: totpCode(holder.secret) }));
  });

  test('of twenty uses of one code at once one signs in; so it is with a recovery code', async () => {
    const holder = await withFactor(await api.user());
    const browsers = await Promise.all(Array.from({ length: 8 }, () => halfSignedIn(holder.client)));
    for (const proof of [{ code: totpCode(holder.secret, 1) }, { recovery_code: holder.recoveryCodes[3] }]) {
      await api.sql(`delete from attempt_counts where key like 'second-factor:%'`);
      const waiting = await Promise.all(Array.from({ length: 2 }, () => halfSignedIn(holder.client)));
      const answers = await Promise.all([...browsers, ...waiting, ...browsers, ...waiting].map((browser) => give(browser, proof)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.map(codeOf).filter((answer) => !/^200$|^403 second_factor_failed$|^429 |^401 |^409 |^419 /.test(answer))).toEqual([]);
    }
    expect((await auditOf(holder.client)).filter(({ action }) => action === 'session.started')).toHaveLength(2);
  });
  test('a recovery code works once, however it is written, and is notified by mail with the number left (ACC-29, ACC-32)', async () => {
    const holder = await withFactor(await api.user());
    const [code = ''] = holder.recoveryCodes;
    const browser = await halfSignedIn(holder.client);
    browser.expect(200, await give(browser, { recovery_code: ` ${code.toLowerCase().replaceAll('-', ' ')} ` }));
    const again = await halfSignedIn(holder.client);
    expect(codeOf(await give(again, { recovery_code: code }))).toBe('403 second_factor_failed');
    expect(await mailAbout(holder.client, 'Использован резервный код')).toContain('Осталось резервных кодов: 9.');
    expect((await auditOf(holder.client)).find(({ action }) => action === 'second_factor.recovery_code_used')).toMatchObject({
      actor_id: holder.client.userId,
      data: { left: 9 },
    });
    for (const body of [{}, { code: '123456', recovery_code: code }, { code: '12' }])
      expect(codeOf(await give(again, body))).toBe('422 validation_failed');
  });

  test('ten tries in 15 minutes, also with new half sessions; a refused code is a security event', async () => {
    const holder = await withFactor(await api.user());
    const code = wrongCode(holder.secret);
    const answers: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const browser = await halfSignedIn(holder.client);
      for (let attempt = 0; attempt < 3; attempt += 1) answers.push(codeOf(await give(browser, { code })));
    }
    expect(answers).toEqual([...Array.from({ length: 10 }, () => '403 second_factor_failed'), '429 rate_limited', '429 rate_limited']);
    const browser = await halfSignedIn(holder.client);
    expect(codeOf(await give(browser, { code: totpCode(holder.secret, 1) }))).toBe('429 rate_limited');
    // Equal events of a minute and an address are one row, which lists its other subjects.
    const { userId } = holder.client;
    const events = await waitFor(
      () =>
        api.sql<{ action: string }>(
          `select action from security_events where subject_id = $1 and subject_kind = 'user' or data::text like '%"user/' || $1 || '"%'`,
          [String(userId)],
        ),
      (rows) => rows.length >= 2,
      'the security events',
    );
    expect(new Set(events.map(({ action }) => action))).toEqual(new Set(['second_factor.failed', 'login.limited']));
  });

  test('a half session ends after five minutes, with a new password and with a block', async () => {
    const holder = await withFactor(await api.user());
    const late = await halfSignedIn(holder.client);
    const [{ seconds } = { seconds: 0 }] = await api.sql<{ seconds: number }>(
      `select extract(epoch from max(expires_at) - now())::int as seconds from sessions where waits_for_second_factor and user_id = $1`,
      [holder.client.userId],
    );
    expect([seconds > 200, seconds <= 300]).toEqual([true, true]);
    await api.sql(`update sessions set expires_at = now() where waits_for_second_factor and user_id = $1`, [holder.client.userId]);
    expect(codeOf(await give(late, { code: totpCode(holder.secret, 1) }))).toMatch(/^401 |^419 /);
    const changed = await halfSignedIn(holder.client);
    const [password, code] = ['another-long-enough-secret', holder.recoveryCodes[0]];
    const change = { current_password: holder.client.password, password, code };
    holder.client.expect(200, await holder.client.post('/auth/password', change));
    expect(codeOf(await give(changed, { code: totpCode(holder.secret, 1) }))).toMatch(/^401 |^419 /);
    const blocked = await halfSignedIn({ email: holder.client.email, password });
    const administrator = await api.administrator();
    administrator.expect(
      200,
      await administrator.patch(`/admin/users/${holder.client.userId}`, { status: 'blocked', password: administrator.password }),
    );
    expect(codeOf(await give(blocked, { code: totpCode(holder.secret, 1) }))).toMatch(/^401 |^419 /);
  });

  test('a login is known, and mailed, only when it is whole', async () => {
    const holder = await withFactor(await api.user());
    const known = async () =>
      (await api.sql<{ count: string }>(`select count(*) from attempt_counts where key like 'logged-in:%' and count > 0`))[0]?.count;
    const before = await known();
    const browser = await halfSignedIn(holder.client);
    expect(await known()).toBe(before);
    browser.expect(200, await give(browser, { code: totpCode(holder.secret, 1) }));
    expect(Number(await known())).toBe(Number(before) + 1);
  });
});

describe('confirmation (ACC-30)', () => {
  const wanted = (password: string) => ({ name: 'test', scopes: ['files:read'], expires_at: '2027-01-01T00:00:00Z', password });

  test('what asks for the password asks for a code too; a recovery code serves; a repeat needs no new code', async () => {
    const holder = await withFactor(await api.user());
    const { client } = holder;
    const body = wanted(client.password);
    expect(codeOf(await client.post('/api-keys', body))).toBe('403 second_factor_required');
    expect(codeOf(await client.post('/api-keys', { ...body, code: wrongCode(holder.secret) }))).toBe('403 second_factor_failed');
    const key = { 'idempotency-key': randomUUID() };
    const code = totpCode(holder.secret, 1);
    const first = client.expect(201, await client.post('/api-keys', { ...body, code }, key));
    const repeated = client.expect(201, await client.post('/api-keys', { ...body, code }, key));
    expect(repeated.body.data).toEqual(first.body.data);
    expect(codeOf(await client.post('/api-keys', { ...body, code }))).toBe('403 second_factor_failed');
    client.expect(201, await client.post('/api-keys', { ...body, code: holder.recoveryCodes[5] }));
    const password = { current_password: client.password, password: 'another-long-secret' };
    expect(codeOf(await client.post('/auth/password', password))).toBe('403 second_factor_required');
    await forgetSteps(holder);
    client.expect(200, await client.post('/auth/password', { ...password, code: totpCode(holder.secret) }));
  });

  test('every route that takes the password of its caller takes a code', async () => {
    const administrator = await api.anotherAdministrator();
    await withFactor(administrator);
    const { userId } = await api.user();
    const { password } = administrator;
    const reason = 'A reason for this test.';
    const requests: [string, string, object][] = [
      ['POST', '/api-keys', wanted(password)],
      ['DELETE', '/api-keys/1', { password }],
      ['POST', '/admin/impersonate', { user_id: userId, password }],
      ['PATCH', `/admin/users/${userId}`, { status: 'blocked', password }],
      ['POST', '/admin/ledger/corrections', { user_id: userId, amount: '1.00', direction: 'credit', reason, password }],
      ['POST', '/admin/ledger/1/reverse', { reason, password }],
      ['PUT', '/admin/profiles/1/owner', { current_user_id: userId, target_user_id: administrator.userId, reason, password }],
      ['DELETE', `/admin/users/${userId}/second-factor`, { reason, password }],
      ['DELETE', path, { password }],
      ['POST', path, { password }],
    ];
    const headers = { 'idempotency-key': randomUUID() };
    for (const [method, address, body] of requests)
      expect([address, codeOf(await administrator.request(method, address, { body, headers }))]).toEqual([
        address,
        '403 second_factor_required',
      ]);
  });

  test('its owner removes a second factor with password and code; the password alone signs in again', async () => {
    const holder = await withFactor(await api.user());
    const { client } = holder;
    client.expect(200, await client.delete(path, { password: client.password, code: totpCode(holder.secret, 1) }));
    expect(codeOf(await client.delete(path, { password: client.password }))).toBe('409 invalid_state');
    const browser = api.browser();
    await browser.login(client.email, client.password);
    expect((await browser.get('/account')).body.data.user.second_factor).toBe(false);
    expect((await auditOf(client)).find(({ action }) => action === 'second_factor.removed')).toMatchObject({
      actor_id: client.userId,
      data: {},
    });
    await mailAbout(client, 'Второй фактор Вашей учётной записи отключён');
  });
});

test('a recovery link sets a password and ends half sessions, and the login still waits for a code (ACC-30)', async () => {
  const holder = await withFactor(await api.user());
  const before = await halfSignedIn(holder.client);
  const { email, userId } = holder.client;
  await requestRecovery(api, email);
  const [token] = await waitForTokens(api, email, 'reset');
  const browser = api.browser();
  await browser.session();
  const password = 'a-quite-different-secret';
  browser.expect(200, await browser.post('/auth/reset', { token, password }));
  expect(codeOf(await browser.get('/account'))).toBe('401 unauthenticated');
  expect(codeOf(await give(before, { code: totpCode(holder.secret, 1) }))).toMatch(/^401 |^419 /);
  const half = await halfSignedIn({ email, password });
  half.expect(200, await give(half, { code: totpCode(holder.secret, 1) }));
  expect((await half.get('/account')).body.data.user).toMatchObject({ id: userId, second_factor: true });
});

describe('administration (ACC-31)', () => {
  test("an administrator removes another account's lost factor with a reason, which ends its sessions", async () => {
    const [holder, administrator] = [await withFactor(await api.user()), await api.administrator()];
    const { client } = holder;
    const address = `/admin/users/${client.userId}/second-factor`;
    const body = { reason: 'Recognized in the office by passport.', password: administrator.password };
    expect(codeOf(await client.delete(address, body))).toBe('403 forbidden');
    expect(codeOf(await administrator.delete(address, { ...body, reason: '' }))).toBe('422 validation_failed');
    expect(codeOf(await administrator.delete(address, { ...body, password: 'not-the-password' }))).toBe('403 password_confirmation_failed');
    expect(codeOf(await administrator.delete('/admin/users/999999/second-factor', body))).toBe('404 not_found');
    expect(codeOf(await administrator.delete(`/admin/users/${administrator.userId}/second-factor`, body))).toBe('409 own_account');
    administrator.expect(200, await administrator.delete(address, body));
    expect(codeOf(await administrator.delete(address, body))).toBe('409 invalid_state');
    expect(codeOf(await client.get('/account'))).toBe('401 unauthenticated');
    expect((await auditOf(client)).find(({ action }) => action === 'second_factor.removed')).toMatchObject({
      actor_id: administrator.userId,
      data: {},
    });
    expect(await api.sql('select reason from second_factor_removals where user_id = $1', [client.userId])).toEqual([
      { reason: body.reason },
    ]);
    await mailAbout(client, 'отключён федерацией');
    const browser = api.browser();
    await browser.login(client.email, client.password);
    const { data: users } = (await administrator.get(`/admin/users?q=${client.userId}`)).body;
    expect(users[0]).toMatchObject({ id: client.userId, second_factor: false });
  });

  test('SECOND_FACTOR=administrators: without one an administrator can only set it up, under a key and an impersonation too', async () => {
    const strict = await startApi({ ...api.platform.config, SECOND_FACTOR: 'administrators' }, 0);
    try {
      const [administrator, person] = [await api.anotherAdministrator(), await api.user()];
      const byKey = (await administrator.program(['admin:read', 'profiles:read'])).copy(strict.url);
      const refuses = async (client: TestClient, address: string) =>
        expect([address, codeOf(await client.get(address))]).toEqual([address, '403 second_factor_setup_required']);
      for (const address of ['/admin/overview', '/account', '/profiles'])
        for (const client of [administrator.copy(strict.url), byKey]) await refuses(client, address);
      expect((await person.copy(strict.url).get('/account')).status).toBe(200);

      const acting = await administrator.post('/admin/impersonate', { user_id: person.userId, password: administrator.password });
      administrator.csrf = administrator.expect(200, acting).body.data.csrf_token;
      const inBrowser = administrator.copy(strict.url);
      for (const address of ['/account', '/profiles', '/notifications/stream']) await refuses(inBrowser, address);
      expect(codeOf(await inBrowser.patch('/account', { name: 'Another' }))).toBe('403 second_factor_setup_required');
      const stopped = inBrowser.expect(200, await inBrowser.post('/auth/impersonation/stop'));
      inBrowser.csrf = stopped.body.data.csrf_token;
      expect((await inBrowser.get('/session')).body.data.user.second_factor).toBe(false);

      const { recoveryCodes } = await withFactor(inBrowser);
      expect((await inBrowser.get('/admin/overview')).status).toBe(200);
      expect((await byKey.get('/profiles')).status).toBe(200);
      // A live stream ends with the second factor.
      const stream = await openStream(inBrowser);
      const removal = { password: administrator.password, code: recoveryCodes[0] };
      inBrowser.expect(200, await inBrowser.delete(path, removal));
      await stream.ended(5_000);
      expect(codeOf(await inBrowser.get('/notifications/stream'))).toBe('403 second_factor_setup_required');
    } finally {
      await strict.close();
    }
  });
});

describe('rotation of ENCRYPTION_KEY', () => {
  let both: RunningApi;
  let afterwards: RunningApi;
  const current = randomUUID() + randomUUID();
  beforeAll(async () => {
    const former = required(api.platform.config, 'ENCRYPTION_KEY');
    both = await startApi({ ...api.platform.config, ENCRYPTION_KEY: `${current},${former}` }, 0);
    afterwards = await startApi({ ...api.platform.config, ENCRYPTION_KEY: current }, 0);
  });
  afterAll(async () => {
    await both.close();
    await afterwards.close();
  });

  test('both keys decrypt; a used secret and the command `secrets` change to the new key; then the former one is not needed', async () => {
    const [used, unused, lost] = [
      await withFactor(await api.user()),
      await withFactor(await api.user()),
      await withFactor(await api.user()),
    ];
    const atBoth = await halfSignedIn(used.client, both.url);
    atBoth.expect(200, await give(atBoth, { code: totpCode(used.secret, 1) }));
    await forgetSteps(used);
    const next = await halfSignedIn(used.client, afterwards.url);
    next.expect(200, await give(next, { code: totpCode(used.secret, 1) }));

    const early = await halfSignedIn(unused.client, afterwards.url);
    expect(codeOf(await give(early, { code: totpCode(unused.secret, 1) }))).toBe('503 second_factor_unavailable');
    const keys = `${current},${required(api.platform.config, 'ENCRYPTION_KEY')}`;
    expect((await encryptSecretsAnew(api.platform, keys)).changed).toBeGreaterThanOrEqual(2);
    expect(await encryptSecretsAnew(api.platform, keys)).toMatchObject({ changed: 0, unreadable: [] });
    early.expect(200, await give(early, { code: totpCode(unused.secret, 1) }));
    // A recovery code needs no key.
    const recovering = await halfSignedIn(lost.client, afterwards.url);
    recovering.expect(200, await give(recovering, { recovery_code: lost.recoveryCodes[9] }));
  });

  test('a secret that no key decrypts is notified, refuses codes without a try, and holds up no other row', async () => {
    const [damaged, whole] = [await withFactor(await api.user()), await withFactor(await api.user())];
    await api.sql(`update second_factors set secret = $1 where user_id = $2`, [
      Buffer.alloc(60, 1).toString('base64'),
      damaged.client.userId,
    ]);
    const waiting = await halfSignedIn(damaged.client);
    for (let tries = 0; tries < 11; tries += 1)
      expect(codeOf(await give(waiting, { code: '123456' }))).toBe('503 second_factor_unavailable');
    waiting.expect(200, await give(waiting, { recovery_code: damaged.recoveryCodes[0] }));
    const confirmation = { password: damaged.client.password, code: '123456' };
    expect(codeOf(await damaged.client.delete(path, confirmation))).toBe('503 second_factor_unavailable');
    const next = randomUUID() + randomUUID();
    const keys = `${next},${current},${required(api.platform.config, 'ENCRYPTION_KEY')}`;
    const { changed, unreadable } = await encryptSecretsAnew(api.platform, keys);
    expect(unreadable).toEqual([damaged.client.userId]);
    expect(changed).toBeGreaterThanOrEqual(1);
    const [row] = await api.sql<{ secret: string }>('select secret from second_factors where user_id = $1', [whole.client.userId]);
    expect(findSecret(next, row?.secret ?? '', { purpose: 'second factors', record: `user/${whole.client.userId}` })?.secret).toBe(
      whole.secret,
    );
    damaged.client.expect(200, await damaged.client.delete(path, { ...confirmation, code: damaged.recoveryCodes[1] }));
  });
});

describe('an address that is not confirmed (ACC-34)', () => {
  test('sets up no second factor; one from before ends with the confirmation', async () => {
    const holder = await withFactor(await api.user());
    const { client } = holder;
    await api.sql('update users set email_confirmed = false where id = $1', [client.userId]);
    expect(codeOf(await client.post(path, { password: client.password, code: totpCode(holder.secret, 1) }))).toBe(
      '409 email_not_confirmed',
    );
    await api.sql('update second_factors set pending_secret = secret where user_id = $1', [client.userId]);
    expect(codeOf(await client.post(`${path}/confirm`, { code: totpCode(holder.secret, 1) }))).toBe('409 email_not_confirmed');
    client.expect(202, await client.post('/account/email-confirmation'));
    const [token] = await waitForTokens(api, client.email, 'confirm-email');
    client.expect(200, await client.post('/auth/confirm-email', { token }));
    const browser = api.browser();
    await browser.session();
    await browser.login(client.email, client.password);
    expect((await auditOf(client)).map(({ action }) => action)).toContain('second_factor.removed');
    await withFactor(client);
  });
});
