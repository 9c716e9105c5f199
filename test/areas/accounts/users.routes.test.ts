import type { Answer, TestClient } from '../../support/client.ts';
import { requestRecovery, waitForMails, waitForTokens } from './account-mails.ts';
import { refusal } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator, audit } = await useRegistry();

type Fields = Record<string, unknown>;
const change = (userId: number, fields: Fields, by = administrator): Promise<Answer> =>
  by.patch(`/admin/users/${userId}`, { password: by.password, ...fields });
const auditOf = async (userId: number) =>
  (await audit('user', userId)).filter(({ action }) => action.startsWith('user.')).map(({ action, data }) => ({ action, data }));
const newMail = (person: TestClient, words: string) => waitForMails(api, person.email, words);
/** Creates another signed-in administrator. */
async function colleague(): Promise<TestClient> {
  const person = await api.user();
  administrator.expect(200, await change(person.userId, { role: 'administrator' }));
  await person.login(person.email, person.password);
  return person;
}

test('an account with an unconfirmed address cannot become an administrator (ACC-34)', async () => {
  const person = await api.user();
  await api.sql('update users set email_confirmed = false where id = $1', [person.userId]);
  const refused = await change(person.userId, { role: 'administrator' });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'email_not_confirmed']);
  await api.sql('update users set email_confirmed = true where id = $1', [person.userId]);
  administrator.expect(200, await change(person.userId, { role: 'administrator' }));
});

describe('GET /admin/users', () => {
  async function found(query: string): Promise<number[]> {
    const { data } = administrator.expect(200, await administrator.get(`/admin/users?${query}`)).body;
    return data.map(({ id }: { id: number }) => id);
  }
  const searched = (q: string, more = '') => found(`q=${encodeURIComponent(q)}${more}`);

  test('shows an account with its sessions, keys and last use', async () => {
    const person = await api.user('Әлия Қасымова');
    await person.makeKey(['files:read']);
    const { data, meta } = administrator.expect(200, await administrator.get(`/admin/users?q=${person.userId}`)).body;
    expect(data).toEqual([
      {
        id: person.userId,
        email: person.email,
        email_confirmed: true,
        second_factor: false,
        name: 'Әлия Қасымова',
        phone: null,
        role: 'user',
        language: 'ru',
        status: 'active',
        created_at: expect.stringMatching(/\+05:00$/),
        updated_at: expect.stringMatching(/\.\d{3}\+05:00$/),
        sessions: 1,
        api_keys: 1,
        last_seen_at: expect.stringMatching(/\+05:00$/),
      },
    ]);
    expect(meta).toEqual({ total: 1, page: 1, limit: 20 });
  });

  test('finds by prefixes of words of name and e-mail, by telephone number, by id', async () => {
    const person = await api.user('Нұрсұлтан Ақтөбеұлы');
    await api.sql(`update users set email = 'nurs.akt-77@sport.example.kz', phone = '+7 (705) 111-22-33' where id = $1`, [person.userId]);
    for (const q of [
      'Нурсул',
      'АКТОБ нұр',
      'nurs.akt',
      'nurs.akt-77@sport.example.kz',
      'akt 77',
      '+7 705 111',
      '77051112233',
      '87051112233',
      '7051112',
      String(person.userId),
    ])
      expect([q, await searched(q)]).toEqual([q, expect.arrayContaining([person.userId])]);
    for (const q of ['султан', 'Нурсул Иванов', '1112233', '%', ',', "' or 1=1", '___'])
      expect([q, await searched(q)]).toEqual([q, expect.not.arrayContaining([person.userId])]);
    await api.sql(`update users set email = 'nursul@xn--80a1acn3a.xn--80ao21a' where id = $1`, [person.userId]);
    expect(await searched('Nursul@ПОШТА.қаз')).toEqual([person.userId]);
    // The search finds changed values, not the former ones.
    await api.sql(`update users set name = 'Болат', phone = null where id = $1`, [person.userId]);
    expect(await searched('Болат')).toEqual([person.userId]);
    expect(await searched('Нурсул')).toEqual([]);
    expect(await searched('7051112')).toEqual([]);
  });

  test('filters by role and status, newest first, page by page', async () => {
    const people = [await api.user('Listed One'), await api.user('Listed Two'), await api.user('Listed Three')];
    const ids = people.map(({ userId }) => userId).toReversed();
    expect(await searched('listed')).toEqual(ids);
    expect(await searched('listed', '&page=2&limit=2')).toEqual([ids[2]]);
    await change(ids[0] ?? 0, { status: 'blocked' });
    await change(ids[1] ?? 0, { role: 'administrator' });
    expect(await searched('listed', '&status=blocked')).toEqual([ids[0]]);
    expect(await searched('listed', '&role=administrator&status=active')).toEqual([ids[1]]);
    expect(await found('role=administrator')).toEqual(expect.arrayContaining([ids[1], administrator.userId]));
    expect(await found('status=blocked&role=administrator')).toEqual([]);
    expect((await found('limit=1'))[0]).toBe(ids[0]);
    expect((await administrator.get('/admin/users?role=king&q=&colour=red')).body.error.details.fields).toHaveLength(3);
  });
});

describe('PATCH /admin/users/{id}', () => {
  test('blocking ends sessions and refuses keys; unblocking brings back the keys only (ACC-11)', async () => {
    const person = await api.user();
    const program = await person.program(['profiles:read']);
    const { data } = administrator.expect(200, await change(person.userId, { status: 'blocked' })).body;
    expect(data).toMatchObject({ id: person.userId, status: 'blocked', role: 'user', sessions: 0, api_keys: 1 });
    expect([(await person.get('/account')).status, (await program.get('/profiles')).status]).toEqual([401, 401]);
    await person.session();
    // Only the right password reveals the block.
    for (const [password, refused] of [
      ['not-the-password', refusal(401, 'invalid_credentials')],
      [person.password, refusal(403, 'account_blocked')],
    ] as const)
      expect(await person.post('/auth/login', { email: person.email, password })).toMatchObject(refused);
    const [mail = ''] = await newMail(person, 'Ваша учётная запись заблокирована');
    expect(mail).toContain('Все сеансы завершены.');

    administrator.expect(200, await change(person.userId, { status: 'active' }));
    expect([(await person.get('/account')).status, (await program.get('/profiles')).status]).toEqual([401, 200]);
    await newMail(person, 'Ваша учётная запись снова открыта');
    expect(await auditOf(person.userId)).toEqual([
      { action: 'user.blocked', data: {} },
      { action: 'user.unblocked', data: {} },
    ]);
  });

  test('a recovery link of a blocked account is void, also after unblocking (ACC-11)', async () => {
    const person = await api.user();
    await requestRecovery(api, person.email);
    const [token] = await waitForTokens(api, person.email, 'reset');
    await change(person.userId, { status: 'blocked' });
    await change(person.userId, { status: 'active' });
    const visitor = api.browser();
    await visitor.session();
    expect(await visitor.post('/auth/reset', { token, password: 'another-long-secret' })).toMatchObject(refusal(422, 'token_invalid'));
  });

  test('a demoted administrator loses their sessions and scopes (ACC-17)', async () => {
    const person = await colleague();
    const program = await person.program(['admin:read', 'profiles:read']);
    expect((await program.get('/admin/users')).status).toBe(200);
    const { data } = administrator.expect(200, await change(person.userId, { role: 'user' })).body;
    expect(data).toMatchObject({ role: 'user', sessions: 0 });
    expect((await person.get('/admin/users')).status).toBe(401);
    expect(await program.get('/admin/users')).toMatchObject(refusal(403, 'forbidden'));
    expect((await program.get('/profiles')).status).toBe(200);
    expect(await auditOf(person.userId)).toEqual([
      { action: 'user.role_changed', data: { from: 'user', to: 'administrator' } },
      { action: 'user.role_changed', data: { from: 'administrator', to: 'user' } },
    ]);
    await newMail(person, 'отозвала у Вашей учётной записи права администратора');
  });

  test('the present role or status again writes nothing and ends no session', async () => {
    const person = await api.user();
    const before = await api.sql('select * from users where id = $1', [person.userId]);
    for (const fields of [{ role: 'user' }, { status: 'active' }, { role: 'user', status: 'active' }, {}])
      administrator.expect(200, await change(person.userId, fields));
    expect(await api.sql('select * from users where id = $1', [person.userId])).toEqual(before);
    expect((await person.get('/account')).status).toBe(200);
    expect(await auditOf(person.userId)).toEqual([]);
  });

  test('refuses a missing or wrong password, the own account and a missing account (ACC-9, ACC-10)', async () => {
    const person = await api.user();
    const blocked = { status: 'blocked' };
    expect((await administrator.patch(`/admin/users/${person.userId}`, blocked)).status).toBe(422);
    expect((await change(person.userId, { role: 'king', name: 'x' })).body.error.details.fields).toHaveLength(2);
    expect(await change(person.userId, { ...blocked, password: 'wrong' })).toMatchObject(refusal(403, 'password_confirmation_failed'));
    for (const fields of [{ role: 'user' }, blocked, { status: 'active' }])
      expect(await change(administrator.userId, fields)).toMatchObject(refusal(409, 'own_account'));
    expect(await change(2_000_000_000, blocked)).toMatchObject(refusal(404, 'not_found'));
    expect((await person.get('/account')).status).toBe(200);
  });

  test('of two administrators who demote or block each other at once, one remains (ACC-12)', async () => {
    for (const fields of [{ role: 'user' }, { status: 'blocked' }, { role: 'user' }]) {
      const [one, other] = [await colleague(), await colleague()];
      const answers = await Promise.all([change(other.userId, fields, one), change(one.userId, fields, other)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      // The other is refused under the lock, or has no session any more.
      expect([401, 403]).toContain(answers.find(({ status }) => status !== 200)?.status);
      const left = await api.sql<{ id: number }>(
        `select id from users where id = any($1) and role = 'administrator' and status = 'active'`,
        [[one.userId, other.userId]],
      );
      expect(left).toHaveLength(1);
    }
  });
});
