import { TestClient } from '../../support/client.ts';
import { waitForMails } from './account-mails.ts';
import { problemsOf, wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry({ RATE_LIMIT_LOGINS_PER_15_MINUTES: '5' });

const password = 'a-long-enough-secret';
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const wanted = (fields: Record<string, unknown> = {}) => ({
  name: 'Box office',
  scopes: ['profiles:read'],
  expires_at: inDays(30),
  password,
  ...fields,
});

describe('POST /api-keys', () => {
  test('shows the key once, stores its SHA-256, writes the audit (ACC-7)', async () => {
    const person = await api.user();
    const { body, headers } = person.expect(201, await person.post('/api-keys', wanted()));
    expect(headers.get('location')).toBe('/api/v1/api-keys');
    expect(body.data).toMatchObject({
      name: 'Box office',
      scopes: ['profiles:read'],
      key: expect.stringMatching(/^fsk_[\w-]{43}$/),
      last_used_at: null,
    });
    expect(body.data.key.startsWith(body.data.prefix)).toBe(true);
    const rows = await api.sql('select * from api_keys where id = $1', [body.data.id]);
    expect(JSON.stringify(rows)).not.toContain(body.data.key);
    expect(JSON.stringify((await person.get('/api-keys')).body)).not.toContain(body.data.key);
    expect(await audit('api_key', body.data.id)).toMatchObject([{ action: 'api_key.created', data: { scopes: ['profiles:read'] } }]);
  });

  test("sends the owner a mail with the key's scopes, without the key (ACC-19)", async () => {
    const person = await api.user();
    const { data } = person.expect(201, await person.post('/api-keys', wanted({ scopes: ['files:read', 'wallet:read'] }))).body;
    const [mail = ''] = await waitForMails(api, person.email, 'Новый ключ API Вашей учётной записи');
    for (const words of ['Название: Box office', 'Разрешения: files:read, wallet:read']) expect(mail).toContain(words);
    expect(mail).not.toContain(data.key);
    expect(mail).not.toContain(data.prefix);
  });

  test('allows fifty valid keys, also for concurrent requests; a revoked or expired key frees its place (ACC-7)', async () => {
    const person = await api.user();
    await api.sql(
      `insert into api_keys (user_id, name, prefix, key_hash, scopes, expires_at, created_at)
       select $1::int, 'Key', 'fsk_', 'of-' || $1::text || '-' || n, '{profiles:read}', now() + interval '30 days', now() from generate_series(1, 49) n`,
      [person.userId],
    );
    const answers = await Promise.all([person.post('/api-keys', wanted()), person.post('/api-keys', wanted())]);
    const [made, refused] = answers.toSorted((left, right) => left.status - right.status);
    expect([made?.status, refused?.status]).toEqual([201, 409]);
    expect(refused?.body.error).toMatchObject({ code: 'quota_exceeded', details: { quota: 'api_keys', used: 50, limit: 50 } });
    person.expect(200, await person.delete(`/api-keys/${made?.body.data.id}`, { password }));
    person.expect(201, await person.post('/api-keys', wanted()));
    person.expect(409, await person.post('/api-keys', wanted()));
    await api.sql(`update api_keys set expires_at = now() - interval '1 day' where key_hash = 'of-' || $1::text || '-1'`, [person.userId]);
    person.expect(201, await person.post('/api-keys', wanted()));
  });

  test('reports every wrong field at once', async () => {
    const person = await api.user();
    const wrong = { name: ' ', scopes: ['profiles:read', 'all'], expires_at: 'soon', colour: 'red' };
    expect(wrongFieldsOf(await person.post('/api-keys', wrong))).toEqual([
      'body.colour',
      'body.expires_at',
      'body.name',
      'body.password',
      'body.scopes.1',
    ]);
  });

  test('refuses a scope that the account does not have, and an expiry beyond five years (ACC-8)', async () => {
    const person = await api.user();
    const past = wanted({ scopes: ['profiles:read', 'admin:read'], expires_at: inDays(-1) });
    expect(wrongFieldsOf(await person.post('/api-keys', past))).toEqual(['body.expires_at', 'body.scopes.1']);
    expect(problemsOf(await person.post('/api-keys', wanted({ expires_at: inDays(6 * 366) })))).toEqual(['body.expires_at too_late']);
  });

  test('counts wrong passwords, not right ones (ACC-9)', async () => {
    const person = await api.user();
    for (let count = 0; count < 6; count += 1) person.expect(201, await person.post('/api-keys', wanted()));
    for (let count = 0; count < 5; count += 1) {
      const refused = person.expect(403, await person.post('/api-keys', wanted({ password: 'wrong' })));
      expect(refused.body.error.code).toBe('password_confirmation_failed');
    }
    expect((await person.post('/api-keys', wanted())).status).toBe(429);
  });
});

describe('a key', () => {
  test('allows its program its scopes only (ACC-8)', async () => {
    const person = await api.user();
    const program = await person.program(['profiles:read']);
    const { body } = await program.get('/account');
    expect(body.data).toMatchObject({
      user: { id: person.userId },
      scopes: ['profiles:read'],
      by: 'key',
      session: null,
      key: { name: 'test' },
    });
    expect((await program.get('/profiles')).status).toBe(200);
    const answer = await program.get('/files');
    expect([answer.status, answer.body.error]).toMatchObject([403, { code: 'insufficient_scope', details: { scope: 'files:read' } }]);
  });

  test('loses the scopes that its owner loses (ACC-8)', async () => {
    const person = await api.user();
    await api.sql(`update users set role = 'administrator' where id = $1`, [person.userId]);
    const program = await person.program(['profiles:read', 'admin:read']);
    expect((await program.get('/account')).body.data.scopes).toEqual(['profiles:read', 'admin:read']);
    await api.sql(`update users set role = 'user' where id = $1`, [person.userId]);
    expect((await program.get('/account')).body.data.scopes).toEqual(['profiles:read']);
  });

  test('records its last use at most once a minute', async () => {
    const person = await api.user();
    const program = await person.program(['profiles:read']);
    await program.get('/account');
    const [first] = (await person.get('/api-keys')).body.data;
    expect(first.last_used_at).toEqual(expect.stringMatching(/\+05:00$/));
    await program.get('/account');
    expect((await person.get('/api-keys')).body.data[0].last_used_at).toBe(first.last_used_at);
  });
});

describe('GET /api-keys', () => {
  test("shows the account's own keys, newest first, by pages", async () => {
    const [person, other] = [await api.user(), await api.user()];
    await other.post('/api-keys', wanted());
    for (const name of ['one', 'two', 'three']) person.expect(201, await person.post('/api-keys', wanted({ name })));
    const { body } = await person.get('/api-keys?page=1&limit=2');
    expect([body.data.map(({ name }: { name: string }) => name), body.meta]).toEqual([['three', 'two'], { total: 3, page: 1, limit: 2 }]);
  });
});

describe('DELETE /api-keys/{id}', () => {
  test('revokes a key at once, and only once', async () => {
    const person = await api.user();
    const { body } = await person.post('/api-keys', wanted());
    const program = new TestClient(api.url, body.data.key);
    expect((await program.get('/account')).status).toBe(200);
    expect((await person.delete(`/api-keys/${body.data.id}`, { password: 'wrong' })).status).toBe(403);
    expect((await person.delete(`/api-keys/${body.data.id}`)).status).toBe(422);
    expect(person.expect(200, await person.delete(`/api-keys/${body.data.id}`, { password })).body.data).toEqual({ deleted: true });
    expect((await program.get('/account')).status).toBe(401);
    expect((await person.delete(`/api-keys/${body.data.id}`, { password })).status).toBe(404);
    expect((await audit('api_key', body.data.id)).map(({ action }) => action)).toEqual(['api_key.created', 'api_key.revoked']);
    expect((await person.get('/api-keys')).body.meta.total).toBe(0);
  });

  test('revokes a key once for two concurrent requests', async () => {
    const person = await api.user();
    const { body } = await person.post('/api-keys', wanted());
    const answers = await Promise.all([1, 2].map(() => person.delete(`/api-keys/${body.data.id}`, { password })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404]);
  });
});

test("a key expires by the registry's clock", async () => {
  const person = await api.user();
  const program = await person.program(['profiles:read']);
  expect((await program.get('/account')).status).toBe(200);
  await api.travelTo(inDays(301));
  expect((await program.get('/account')).status).toBe(401);
});
