import type { TestClient } from '../../support/client.ts';
import { mailsTo, requestRecovery, waitForMails, waitForTokens } from './account-mails.ts';
import { wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

const password = 'a-long-enough-secret';
const another = 'a-quite-different-secret';

async function browser(): Promise<TestClient> {
  const client = api.browser();
  await client.session();
  return client;
}
/** Requests a recovery link and reads its token from the mail. @param nth link to this address */
async function recoveryToken(email: string, nth = 1): Promise<string> {
  await requestRecovery(api, email);
  return (await waitForTokens(api, email, 'reset', nth)).at(-1) ?? '';
}

// ACC-6
describe('POST /auth/forgot and POST /auth/reset', () => {
  test('set a new password by the mail, once, and end every session (ACC-18)', async () => {
    const person = await api.user();
    const token = await recoveryToken(person.email);
    const client = await browser();
    expect(client.expect(200, await client.post('/auth/reset', { token, password: another })).body.data).toEqual({
      password_changed: true,
    });
    expect((await person.get('/account')).status).toBe(401);
    const again = await client.post('/auth/reset', { token, password });
    expect([again.status, again.body.error.code]).toEqual([422, 'token_invalid']);
    expect((await client.post('/auth/login', { email: person.email, password })).status).toBe(401);
    await client.login(person.email, another);
    expect((await audit('user', person.userId)).map(({ action }) => action)).toEqual([
      'account.registered',
      'password_reset.requested',
      'account.password_changed',
      'session.started',
    ]);
    expect(JSON.stringify(await api.sql('select * from audit_events'))).not.toContain(person.email);
  });

  test('answer the same for an unknown address, and write nothing', async () => {
    const client = await browser();
    const answer = await client.post('/auth/forgot', { email: 'unknown@example.kz', ...(await client.captcha('forgot')) });
    expect([answer.status, answer.body.data]).toEqual([202, { accepted: true }]);
    // A mail asked for afterwards has been sent: what was to be sent before it would be there.
    await recoveryToken((await api.user()).email);
    expect(await mailsTo(api, 'unknown@example.kz')).toEqual([]);
  });

  test('a newer link replaces the older one', async () => {
    const person = await api.user();
    const older = await recoveryToken(person.email);
    const newer = await recoveryToken(person.email, 2);
    const client = await browser();
    expect((await client.post('/auth/reset', { token: older, password: another })).status).toBe(422);
    expect((await client.post('/auth/reset', { token: newer, password: another })).status).toBe(200);
  });

  test('of two concurrent uses one succeeds', async () => {
    const person = await api.user();
    const token = await recoveryToken(person.email);
    const clients = [await browser(), await browser(), await browser()];
    const answers = await Promise.all(
      clients.map((client, index) => client.post('/auth/reset', { token, password: `${another}-${index}` })),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 422, 422]);
  });

  test('refuse a missing or used captcha, a weak password and an unknown token', async () => {
    const client = await browser();
    expect(wrongFieldsOf(await client.post('/auth/forgot', {}))).toEqual(['body.captcha_answer', 'body.captcha_id', 'body.email']);
    const used = { email: 'a@example.kz', ...(await client.captcha('forgot')) };
    expect((await client.post('/auth/forgot', used)).status).toBe(202);
    expect((await client.post('/auth/forgot', used)).body.error.code).toBe('captcha_failed');
    expect(wrongFieldsOf(await client.post('/auth/reset', { token: '', password: 'short' }))).toEqual(['body.password', 'body.token']);
    expect((await client.post('/auth/reset', { token: 'made-up', password: another })).body.error.code).toBe('token_invalid');
  });
});

describe('a new password, its end of access and its mail (ACC-18, ACC-19)', () => {
  const keysOf = async (person: TestClient) => person.expect(200, await person.get('/api-keys')).body.data.length;
  const mailAbout = async (email: string, words: string) => {
    const [mail = ''] = await waitForMails(api, email, words);
    expect(mail).toContain('Пароль Вашей учётной записи изменён');
    return mail;
  };

  test('revokes the API keys, ends the sessions, and the mail says so', async () => {
    const person = await api.user();
    const programs = [await person.program(['profiles:read']), await person.program(['files:read'])];
    person.expect(200, await person.post('/auth/password', { current_password: password, password: another }));
    for (const program of programs) expect((await program.get('/account')).body.error.code).toBe('unauthenticated');
    await person.session();
    expect(await keysOf(person)).toBe(0);
    const mail = await mailAbout(person.email, 'Отозванные ключи API: 2.');
    expect(mail).toContain('Все сеансы, кроме того, в котором пароль изменили, завершены.');
    expect((await audit('user', person.userId)).at(-1)).toMatchObject({
      action: 'account.password_changed',
      data: { sessions_ended: 1, api_keys_revoked: 2, api_keys_kept: 0, webhooks_disabled: 0 },
    });
    expect(await api.sql(`select 1 from audit_events where action = 'api_key.revoked' and actor_id = $1`, [person.userId])).toHaveLength(2);
  });

  test('keeps the API keys when the request says so', async () => {
    const person = await api.user();
    const program = await person.program(['profiles:read']);
    const change = { current_password: password, password: another, keep_api_keys: true };
    person.expect(200, await person.post('/auth/password', change));
    program.expect(200, await program.get('/account'));
    await mailAbout(person.email, 'Ключи API, которые по просьбе остались в силе: 1.');
  });

  test('revokes the API keys when it is set by a recovery link, whatever the request says', async () => {
    const person = await api.user();
    const program = await person.program(['profiles:read']);
    const token = await recoveryToken(person.email);
    const client = await browser();
    client.expect(200, await client.post('/auth/reset', { token, password: another, keep_api_keys: true }));
    expect((await program.get('/account')).status).toBe(401);
    const mail = await mailAbout(person.email, 'Отозванные ключи API: 1.');
    expect(mail).toContain('по ссылке из письма для восстановления');
  });

  test('ends nothing and sends no mail when it is refused (ACC-9)', async () => {
    const person = await api.user();
    const program = await person.program(['profiles:read']);
    const refused = await person.post('/auth/password', { current_password: 'wrong', password: another });
    expect(refused.body.error.code).toBe('password_confirmation_failed');
    const odd = await person.post('/auth/password', { current_password: password, password: another, keep_api_keys: 'yes' });
    expect(wrongFieldsOf(odd)).toEqual(['body.keep_api_keys']);
    program.expect(200, await program.get('/account'));
    // A mail asked for afterwards has been sent: what was to be sent before it would be there.
    await recoveryToken(person.email);
    expect((await mailsTo(api, person.email)).filter((mail) => mail.includes('was changed'))).toEqual([]);
  });
});

describe('POST /auth/password', () => {
  test('changes the password, ends the other sessions, renews this one (ACC-3), closes an open recovery link', async () => {
    const person = await api.user();
    const token = await recoveryToken(person.email);
    const elsewhere = api.browser();
    await elsewhere.login(person.email, password);
    const before = person.cookie;
    const answer = person.expect(200, await person.post('/auth/password', { current_password: password, password: another }));
    expect([answer.body.data.csrf_token === person.csrf, person.cookie === before]).toEqual([false, false]);
    expect((await person.get('/account')).status).toBe(200);
    expect((await elsewhere.get('/account')).status).toBe(401);
    await elsewhere.login(person.email, another);
    expect((await (await browser()).post('/auth/reset', { token, password })).status).toBe(422);
  });

  test('refuses a weak password', async () => {
    const person = await api.user();
    expect(wrongFieldsOf(await person.post('/auth/password', { password: 'short' }))).toEqual(['body.current_password', 'body.password']);
  });
});

// Last, because the clock moves forwards only.
test('the link of the mail opens a form that sets the password without scripts, once', async () => {
  const person = await api.user();
  const token = await recoveryToken(person.email);
  const visitor = api.browser();
  const page = visitor.expect(200, await visitor.get(`/reset?token=${token}`));
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(page.bytes.toString()).toContain(`name="token" value="${token}"`);
  expect(page.bytes.toString()).toContain('name="password" type="password" autocomplete="new-password"');
  const send = (fields: Record<string, string>) => visitor.request('POST', '/reset', { raw: new URLSearchParams(fields) });
  const tooShort = visitor.expect(422, await send({ token, password: 'short' }));
  expect(tooShort.bytes.toString()).toContain('role="alert">В пароле должно быть от 12 до 200 знаков.');
  const common = await send({ token, password: 'qwerty123456' });
  expect(common.bytes.toString()).toContain('role="alert">Такие пароли');
  const kazakh = await visitor.get(`/reset?token=${token}&lang=kk`);
  expect(kazakh.headers.get('content-language')).toBe('kk');
  expect(kazakh.bytes.toString()).toContain(`href="?token=${token}&amp;lang=en"`);
  expect((await send({ token: 'x"><b>', password: another })).bytes.toString()).not.toContain('<b>');
  visitor.expect(200, await send({ token, password: another }));
  visitor.expect(422, await send({ token, password }));
  visitor.expect(422, await visitor.get(`/reset?token=${token}`));
  await (await browser()).login(person.email, another);
});

test("a recovery link expires by the registry's clock (ACC-6)", async () => {
  const person = await api.user();
  const token = await recoveryToken(person.email);
  const client = await browser();
  const { body: clock } = await client.get('/sandbox/clock');
  await api.travelTo(new Date(Date.parse(clock.data.now) + 31 * 60_000).toISOString());
  expect((await client.post('/auth/reset', { token, password: another })).body.error.code).toBe('token_invalid');
});

test('a password does not expire (ACC-1)', async () => {
  const person = await api.user();
  await api.travelTo('2031-01-01T00:00:00Z');
  const client = await browser();
  await client.login(person.email, person.password);
  expect((await client.session()).body.data.user.id).toBe(person.userId);
});
