import type { TestClient } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { mailsTo } from './account-mails.ts';
import { codeOf, wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

const password = 'a-long-enough-secret';

async function browser(): Promise<TestClient> {
  const client = api.browser();
  await client.session();
  return client;
}
async function registration(client: TestClient, fields: Record<string, unknown> = {}) {
  return { email: `new${Math.random()}@example.kz`, password, name: 'Айнұр', ...(await client.captcha('register')), ...fields };
}
const closingOf = async (captchaId: string) =>
  (await api.sql<{ closed_by: string | null }>('select closed_by from captchas where id = $1', [captchaId]))[0]?.closed_by;

describe('POST /auth/register', () => {
  test('takes an internationalized domain, in either form one address', async () => {
    const client = await browser();
    const user = client.expect(
      201,
      await client.post('/auth/register', await registration(client, { email: 'Dana@Пошта.қаз', name: 'Әлия'.normalize('NFD') })),
    ).body.data.user;
    expect([user.email, user.name]).toEqual(['dana@xn--80a1acn3a.xn--80ao21a', 'Әлия'.normalize('NFC')]);
    const again = await browser();
    const twice = await again.post('/auth/register', await registration(again, { email: 'dana@xn--80a1acn3a.xn--80ao21a' }));
    expect(twice.body.error.code).toBe('email_taken');
    for (const email of ['dana@ПОШТА.қаз', 'dana@xn--80a1acn3a.xn--80ao21a']) {
      const other = await browser();
      other.expect(200, await other.post('/auth/login', { email, password }));
    }
    const refused = await again.post('/auth/register', await registration(again, { email: 'дана@example.kz' }));
    expect(refused.body.error.details.fields).toMatchObject([{ path: 'body.email', message: expect.stringContaining('before the @') }]);
  });

  test('opens an account with a wallet, signs in, renews the session (ACC-3)', async () => {
    const client = await browser();
    const { csrf, cookie } = client;
    const answer = client.expect(
      201,
      await client.post('/auth/register', await registration(client, { email: 'Ainur@Example.kz', phone: '+7 701 000 00 00' })),
    );
    expect(answer.headers.get('location')).toBe('/api/v1/account');
    expect(answer.body.data).toMatchObject({
      user: { email: 'ainur@example.kz', name: 'Айнұр', phone: '+7 701 000 00 00', role: 'user', language: 'ru' },
      impersonation: null,
    });
    expect([answer.body.data.csrf_token === csrf, client.cookie === cookie]).toEqual([false, false]);
    expect((await client.post('/auth/logout')).body.error.code).toBe('csrf_failed');
    const { id } = answer.body.data.user;
    expect((await client.get('/account')).body.data.user.id).toBe(id);
    expect(await api.sql('select balance_minor::int from wallets where user_id = $1', [id])).toEqual([{ balance_minor: 0 }]);
    expect(await audit('user', id)).toMatchObject([
      { action: 'account.registered', actor_id: id, request_id: answer.body.request_id, data: { session_id: expect.any(String) } },
      { action: 'email_confirmation.requested', actor_id: id, request_id: answer.body.request_id, data: {} },
    ]);
    const [user] = await api.sql<{ password_hash: string }>('select password_hash from users where id = $1', [id]);
    expect(user?.password_hash).toMatch(/^\$argon2id\$/);
  });

  test('reports every wrong field at once', async () => {
    const client = await browser();
    const answer = await client.post('/auth/register', {
      email: 'not-an-email',
      password: 'short',
      name: '',
      phone: 'none',
      role: 'administrator',
      captcha_id: 'x',
      captcha_answer: 'abc',
    });
    expect([answer.status, wrongFieldsOf(answer)]).toEqual([
      422,
      ['body.captcha_answer', 'body.captcha_id', 'body.email', 'body.name', 'body.password', 'body.phone', 'body.role'],
    ]);
  });

  test('refuses a registered address, in upper or lower case', async () => {
    const person = await api.user();
    const client = await browser();
    const answer = await client.post('/auth/register', await registration(client, { email: person.email.toUpperCase() }));
    expect([answer.status, answer.body.error.code]).toEqual([409, 'email_taken']);
    expect((await client.get('/account')).status).toBe(401);
  });

  test('opens one account for many concurrent requests with one address', async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => browser()));
    const bodies = await Promise.all(clients.map((client) => registration(client, { email: 'race@example.kz' })));
    const answers = await Promise.all(clients.map((client, index) => client.post('/auth/register', bodies[index])));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409, 409, 409]);
    expect(
      await api.sql(`select w.balance_minor::int from users u join wallets w on w.user_id = u.id where email = 'race@example.kz'`),
    ).toHaveLength(1);
  });
});

// ACC-5
describe('a captcha', () => {
  const refused = '422 captcha_failed';
  const send = async (client: TestClient, body: unknown) => codeOf(await client.post('/auth/register', body));

  test.each([
    ['a wrong answer', { captcha_answer: 'wrong' }, refused],
    ['a form that fails for another reason', { email: 'admin@localhost' }, '409 email_taken'],
  ])('is used up by %s', async (_what, change, answer) => {
    const client = await browser();
    const body = await registration(client);
    expect(await send(client, { ...body, ...change })).toBe(answer);
    expect(await closingOf(body.captcha_id)).toBe('use');
    expect(await send(client, body)).toBe(refused);
  });

  test('serves one of two concurrent forms', async () => {
    const client = await browser();
    const body = await registration(client);
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((name) => send(client, { ...body, email: `${name}${Math.random()}@example.kz` })),
    );
    expect(answers.toSorted()).toEqual(['201', refused, refused]);
  });

  test('is void for another form, in another session and after a newer one, and stays open in its own', async () => {
    const [client, thief] = [await browser(), await browser()];
    expect(await send(client, { ...(await registration(client)), ...(await client.captcha('contact')) })).toBe(refused);
    const older = await registration(client);
    const newer = await registration(client);
    expect(await send(client, older)).toBe(refused);
    expect(await closingOf(older.captcha_id)).toBe('newer');
    expect(await send(thief, newer)).toBe(refused);
    expect(await send(client, newer)).toBe('201');
  });
});

describe('POST /contact', () => {
  test("puts the message into the queue and the administrators' mail (ACC-16)", async () => {
    const client = await browser();
    const message = `When does the season begin? ${Math.random()}`;
    const answer = client.expect(
      201,
      await client.post('/contact', { name: 'Ержан', email: 'Erzhan@example.kz', message, ...(await client.captcha('contact')) }),
    );
    expect(await api.sql('select name, email, message, status from contact_messages where id = $1', [answer.body.data.id])).toEqual([
      { name: 'Ержан', email: 'erzhan@example.kz', message, status: 'new' },
    ]);
    await waitFor(
      () => mailsTo(api, 'admin@localhost'),
      (mails) => mails.some((mail) => mail.includes(`сообщение ${answer.body.data.id}`)),
      'the mail to the administrators',
    );
    const received = { action: 'contact_message.received', actor_id: null, data: {} };
    expect(await audit('contact_message', answer.body.data.id)).toMatchObject([received]);
  });

  test('reports every wrong field at once, and refuses a wrong captcha', async () => {
    const client = await browser();
    expect(wrongFieldsOf(await client.post('/contact', { name: '', email: 'x', message: 'm'.repeat(3001) }))).toEqual([
      'body.captcha_answer',
      'body.captcha_id',
      'body.email',
      'body.message',
      'body.name',
    ]);
    const form = { name: 'Ержан', email: 'erzhan@example.kz', message: 'Hello', ...(await client.captcha('contact')) };
    expect((await client.post('/contact', { ...form, captcha_answer: 'wrong' })).body.error.code).toBe('captcha_failed');
  });
});

// Last, because the clock moves forwards only (SBX-1).
test("captchas expire by the registry's clock (ACC-5)", async () => {
  const client = await browser();
  const body = await registration(client);
  const { body: clock } = await client.get('/sandbox/clock');
  await api.travelTo(new Date(Date.parse(clock.data.now) + 11 * 60_000).toISOString());
  expect(await closingOf(body.captcha_id)).toBe('time');
  expect((await client.post('/auth/register', body)).body.error.code).toBe('captcha_failed');
});
