import type { TestClient } from '../../support/client.ts';
import { requestRecovery, waitForMails } from './account-mails.ts';
import { codeOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

const choose = (by: TestClient, language: unknown) => by.patch('/account', { language });
const languageOf = async (by: TestClient) => (await by.get('/account')).body.data.user.language;
const auditOf = async ({ userId }: TestClient) =>
  (await audit('user', userId))
    .filter(({ action }) => action === 'account.updated')
    .map(({ actor_id, impersonated_user_id, data }) => ({ actor_id, impersonated_user_id, data }));

test('is Russian by default, and shown with the account', async () => {
  const person = await api.user();
  expect((await person.session()).body.data.user.language).toBe('ru');
  expect(await languageOf(person)).toBe('ru');
  const answer = person.expect(200, await choose(person, 'kk'));
  expect(answer.body.data).toEqual((await person.get('/account')).body.data);
  expect(answer.body.data.user).toMatchObject({ id: person.userId, language: 'kk' });
  expect((await person.session()).body.data.user.language).toBe('kk');
  const administrator = await api.administrator();
  expect((await administrator.get(`/admin/users?q=${person.userId}`)).body.data).toMatchObject([{ language: 'kk' }]);
});

test('a change is audited once; the same value again writes nothing', async () => {
  const person = await api.user();
  const rowOf = async () => (await api.sql<Record<string, unknown>>('select * from users where id = $1', [person.userId]))[0];
  const before = await rowOf();
  for (let turn = 0; turn < 3; turn += 1) person.expect(200, await choose(person, 'en'));
  const after = await rowOf();
  expect({ ...after, language: 'ru', updated_at: 0 }).toEqual({ ...before, updated_at: 0 });
  expect(after?.['updated_at']).not.toEqual(before?.['updated_at']);
  expect(await auditOf(person)).toEqual([{ actor_id: person.userId, impersonated_user_id: null, data: { changed: ['language'] } }]);
  person.expect(200, await choose(person, 'en'));
  expect(await rowOf()).toEqual(after);
});

test('refuses unknown languages and other fields', async () => {
  const person = await api.user();
  for (const body of [{}, { language: 'de' }, { language: null }, { language: 'RU' }, { language: 'kk', role: 'administrator' }])
    expect(codeOf(await person.patch('/account', body))).toBe('422 validation_failed');
  expect([await languageOf(person), await auditOf(person)]).toEqual(['ru', []]);
});

test('can be set by the user, by a key with notifications:write, and by an impersonating administrator; mails follow it at once (ACC-19)', async () => {
  const person = await api.user();
  const program = await person.program(['notifications:write']);
  program.expect(200, await choose(program, 'kk'));
  expect(await languageOf(person)).toBe('kk');
  await requestRecovery(api, person.email);
  const [mail = ''] = await waitForMails(api, person.email, 'Subject: Есептік жазбаңызға жаңа құпиясөз');
  expect(mail).toMatch(/\/reset\?token=[\w-]{43}&lang=kk\n/);
  const administrator = await api.administrator();
  administrator.expect(200, await administrator.post('/admin/impersonate', { user_id: person.userId, password: administrator.password }));
  await administrator.session();
  expect(administrator.expect(200, await choose(administrator, 'en')).body.data).toMatchObject({
    user: { id: person.userId, language: 'en' },
    impersonation: { administrator: { id: administrator.userId } },
  });
  expect((await auditOf(person)).at(-1)).toEqual({
    actor_id: administrator.userId,
    impersonated_user_id: person.userId,
    data: { changed: ['language'] },
  });
  expect(await api.sql('select language from users where id = $1', [administrator.userId])).toEqual([{ language: 'ru' }]);
});

test('of two concurrent changes one stays, and each is audited', async () => {
  const person = await api.user();
  const answers = await Promise.all(['kk', 'en'].map((language) => choose(person, language)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(['kk', 'en']).toContain(await languageOf(person));
  expect(await auditOf(person)).toHaveLength(2);
});
