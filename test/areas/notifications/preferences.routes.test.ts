import { extensions } from '../../../src/registry/areas.ts';
import { notificationKinds } from '../../../src/areas/notifications/index.ts';
import type { TestClient } from '../../support/client.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

interface Preference {
  type: string;
  mail: boolean;
  bot: boolean;
}
const types = extensions
  .of(notificationKinds)
  .flatMap((kinds) => Object.keys(kinds))
  .toSorted();
const path = '/notifications/preferences';
const set = (by: TestClient, preferences: unknown) => by.put(path, { preferences });
const read = async (by: TestClient): Promise<Preference[]> => by.expect(200, await by.get(path)).body.data.preferences;
const rowsOf = (person: TestClient) =>
  api.sql<Preference>('select type, mail, bot from notification_preferences where user_id = $1 order by type', [person.userId]);
const auditOf = async ({ userId }: TestClient) =>
  (await audit('user', userId)).flatMap(({ action, data }) =>
    action === 'notification_preferences.updated' ? [(data['changed'] as string[]).toSorted()] : [],
  );
const problemsOf = ({ status, body }: { status: number; body: { error?: { details?: { fields: { path: string }[] } } } }) => [
  status,
  (body.error?.details?.fields ?? []).map((field) => field.path),
];

test('NOT-3: every kind is listed, with mail on and the bot off by default', async () => {
  const person = await api.user();
  expect(await read(person)).toEqual(types.map((type) => ({ type, mail: true, bot: false })));
  expect(types).toEqual(expect.arrayContaining(['document.approved', 'invoice.paid', 'agreement.confirmed', 'profile.transferred']));
});

test('NOT-3: given types change, others and other accounts stay', async () => {
  const [person, other] = [await api.user(), await api.user()];
  const paid = { type: 'invoice.paid', mail: false, bot: true };
  const answer = person.expect(200, await set(person, [paid]));
  expect(answer.body.data.preferences).toEqual(await read(person));
  const approved = { type: 'document.approved', mail: true, bot: true };
  person.expect(200, await set(person, [approved]));
  const changed = (await read(person)).filter(({ mail, bot }) => !mail || bot);
  expect(changed).toEqual([approved, paid]);
  expect((await read(other)).every(({ mail, bot }) => mail && !bot)).toBe(true);
  expect(await auditOf(person)).toEqual([['invoice.paid'], ['document.approved']]);
  // Back again, as it was at first.
  person.expect(200, await set(person, [{ ...paid, mail: true, bot: false }, approved]));
  expect((await read(person)).filter(({ mail, bot }) => !mail || bot)).toEqual([approved]);
  expect((await auditOf(person)).at(-1)).toEqual(['invoice.paid']);
});

test('unchanged and default preferences are not written', async () => {
  const person = await api.user();
  person.expect(200, await set(person, []));
  person.expect(
    200,
    await set(
      person,
      types.map((type) => ({ type, mail: true, bot: false })),
    ),
  );
  expect([await rowsOf(person), await auditOf(person)]).toEqual([[], []]);
  const wanted = [{ type: 'photo.approved', mail: false, bot: false }];
  for (let turn = 0; turn < 2; turn += 1) person.expect(200, await set(person, wanted));
  expect([await rowsOf(person), await auditOf(person)]).toEqual([wanted, [['photo.approved']]]);
});

test('unknown and repeated kinds are refused with all their paths, and nothing changes', async () => {
  const person = await api.user();
  const known = { type: 'photo.approved', mail: false, bot: false };
  const unknown = { type: 'chess.played', mail: false, bot: false };
  expect(problemsOf(await set(person, [unknown, known, { ...unknown, type: '' }]))).toEqual([
    422,
    ['body.preferences.0.type', 'body.preferences.2.type'],
  ]);
  expect(problemsOf(await set(person, [known, { ...known, mail: true }, known]))).toEqual([
    422,
    ['body.preferences.1.type', 'body.preferences.2.type'],
  ]);
  expect(problemsOf(await set(person, [{ type: 'photo.approved', mail: 'yes' }]))).toEqual([
    422,
    ['body.preferences.0.mail', 'body.preferences.0.bot'],
  ]);
  expect((await person.put(path, {})).status).toBe(422);
  expect((await person.put(path, { preferences: [], language: 'kk' })).status).toBe(422);
  expect([await rowsOf(person), await auditOf(person)]).toEqual([[], []]);
});

test('keys need the scopes of notifications', async () => {
  const person = await api.user();
  const [reader, writer] = [await person.program(['notifications:read']), await person.program(['notifications:write'])];
  expect(await read(reader)).toHaveLength(types.length);
  expect((await set(reader, [])).status).toBe(403);
  writer.expect(200, await set(writer, []));
  expect((await writer.get(path)).status).toBe(403);
  expect((await api.browser().get(path)).status).toBe(401);
});

test('parallel changes are all kept', async () => {
  const person = await api.user();
  const [first, second] = [types.slice(0, 10), types.slice(5, 15)];
  const send = (some: string[], turn: number) =>
    set(
      person,
      (turn % 2 === 0 ? some : some.toReversed()).map((type) => ({ type, mail: false, bot: true })),
    );
  const answers = await Promise.all([0, 1, 2, 3].map((turn) => send(turn < 2 ? first : second, turn)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await rowsOf(person)).map(({ type }) => type)).toEqual(types.slice(0, 15));
});
