import { randomUUID } from 'node:crypto';
import { type RunningApi, startApi } from '../../../src/api.ts';
import { hashCaptchaAnswer } from '../../../src/areas/accounts/captcha/use-captcha.ts';
import { required } from '../../../src/registry/config.ts';
import { TestClient } from '../../support/client.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Three APIs on one database, like the steps of a rotation: the former secret, both, the new one alone. */
const { api } = await useRegistry();
const former = required(api.platform.config, 'SESSION_SECRET');
let both: RunningApi;
let afterwards: RunningApi;
const current = randomUUID() + randomUUID();

beforeAll(async () => {
  const withSecret = (secret: string) => startApi({ ...api.platform.config, SESSION_SECRET: secret }, 0);
  both = await withSecret(`${current},${former}`);
  afterwards = await withSecret(current);
});
afterAll(async () => {
  await both.close();
  await afterwards.close();
});

test('a session and its CSRF token of the former secret work while both are named, and end with it', async () => {
  const person = await api.user();
  const moved = person.copy(both.url);
  expect((await moved.session()).body.data.user.id).toBe(person.userId);
  moved.expect(200, await moved.patch('/account', { language: 'kk' }));
  // Signed again by the new secret, the browser no longer depends on the former one.
  const renewed = moved.copy(afterwards.url);
  expect((await renewed.session()).body.data.user.id).toBe(person.userId);
  expect((await person.copy(afterwards.url).session()).body.data.user).toBeNull();
});

test('a captcha of the former secret is accepted while both are named, and refused afterwards', async () => {
  const send = async (url: string) => {
    const browser = new TestClient(url);
    await browser.session();
    const { captcha_id: id } = await browser.captcha('contact');
    await api.sql('update captchas set answer_hash = $1 where id = $2', [hashCaptchaAnswer(former, id, 'ACDEF'), id]);
    const form = { name: 'Ержан', email: 'erzhan@example.kz', message: 'When does the season begin?' };
    const answer = await browser.post('/contact', { ...form, captcha_id: id, captcha_answer: 'acdef' });
    return `${answer.status} ${answer.body.error?.code ?? ''}`.trim();
  };
  expect([await send(both.url), await send(afterwards.url)]).toEqual(['201', '422 captcha_failed']);
});

test('a repeated request reads the answer that the former secret encrypted, and afterwards takes effect no second time', async () => {
  const person = await api.user();
  const key = { 'idempotency-key': randomUUID() };
  const body = { name: 'test', scopes: ['files:read'], expires_at: '2027-01-01T00:00:00Z', password: person.password };
  const first = person.expect(201, await person.post('/api-keys', body, key));
  const moved = person.copy(both.url);
  expect((await moved.post('/api-keys', body, key)).body.data).toEqual(first.body.data);
  expect((await moved.post('/api-keys', { ...body, name: 'other' }, key)).body.error.code).toBe('idempotency_key_conflict');
  expect((await moved.copy(afterwards.url).post('/api-keys', body, key)).body.error.code).toBe('idempotency_key_conflict');
  const [{ count } = { count: '' }] = await api.sql<{ count: string }>('select count(*) from api_keys where user_id = $1', [person.userId]);
  expect(count).toBe('1');
});
