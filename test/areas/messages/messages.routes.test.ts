import { extensions } from '../../../src/registry/areas.ts';
import { streamSubjects } from '../../../src/areas/notifications/index.ts';
import { scopes } from '../../../src/http/access/scopes.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { sortTwins, type TestClient } from '../../support/client.ts';
import { fixturesOf } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { insertFiles, insertProfiles } from '../../support/factories/rows.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { administratorPassword } from '../../support/sign-up.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator, audit } = await useRegistry();
let organizer: TestClient;
let athlete: TestClient;
let stranger: TestClient;
let eventId: number;

beforeAll(async () => {
  // The processes are not of interest here.
  await api.stopWorkers();
  [organizer, athlete, stranger] = await Promise.all([
    api.user('Account of the organizer'),
    api.user('Account of the athlete'),
    api.user(),
  ]);
  ({ id: eventId } = await eventFixtures(api.platform).event(organizer, { title: 'Rally of Almaty' }));
});
/** Registrations inserted as rows lack a history; the checks of these tests hold for them too. */
const held = /^(a conversation|a message|every registration|an answer)/;
afterEach(async () => {
  const broken = await findBrokenInvariants(api.surroundings.database.ownerUrl);
  expect(broken.filter((line) => held.test(line))).toEqual([]);
});

const db = () => databaseOf(api.platform.orm.em.fork());
const now = () => api.platform.clock.now(db());

async function profileOf({ userId }: TestClient, name = 'Иванов Иван'): Promise<number> {
  const at = await now();
  const [photoId = ''] = await insertFiles(db(), [userId], { kind: 'photo', bytes: Buffer.from('photo'), storage: null }, at);
  const [id = 0] = await insertProfiles(db(), [{ ownerId: userId, photoId, status: 'approved', columns: { name } }], at);
  return id;
}

type Options = Partial<Parameters<typeof insertRegistrations>[1][number]>;
async function registration(owner = athlete, options: Options = {}): Promise<number> {
  const row = { eventId, ownerId: owner.userId, profileId: options.profileId ?? (await profileOf(owner)), ...options };
  const [id = 0] = await insertRegistrations(db(), [row], await now());
  return id;
}

const of = (perspective: string, id: number) => `/messenger/${perspective}/registrations/${id}`;
const read = async (client: TestClient, path: string) => client.expect(200, await client.get(path)).body;
const send = async (client: TestClient, path: string, message: unknown = 'Hello') =>
  client.expect(201, await client.post(`${path}/messages`, { message })).body.data;
const mark = async (client: TestClient, path: string, body?: object) =>
  client.expect(200, await client.post(`${path}/read`, body)).body.data.unread;
const refusal = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];
const notFound = [404, 'not_found'];
/** Answers of every route of a conversation. */
async function answersOf(client: TestClient, path: string) {
  return [await client.get(path), await client.post(`${path}/messages`, { message: 'Hello' }), await client.post(`${path}/read`)].map(
    refusal,
  );
}
const dialogs = async (client: TestClient) => {
  const listed = await read(client, '/messenger?limit=100');
  expect(listed.meta.total).toBe(listed.data.length);
  return listed.data.slice(1);
};
const unreadOf = async (client: TestClient, perspective: string, id: number) =>
  (await dialogs(client)).find(
    (row: { perspective: string; registration_id: number }) => row.perspective === perspective && row.registration_id === id,
  )?.unread;
const auditOf = async (kind: string, id: number) => (await audit(kind, id)).filter(({ action }) => /^(messenger|chat)\./.test(action));
const announcedTo = async (messageId: number) =>
  (
    await api.sql<{ user_id: number }>(`select user_id from stream_events where kind = 'message' and subject_id = $1 order by user_id`, [
      messageId,
    ])
  ).map(({ user_id: id }) => id);
/** Message events in the account's live stream. */
async function streamed({ userId }: TestClient, ...ids: number[]) {
  const subject = extensions.of(streamSubjects).find(({ kind }) => kind === 'message');
  const notified = await subject?.read(db(), { userId, language: 'en' }, ids);
  return [...(notified?.values() ?? [])];
}

describe('the conversation about a registration', () => {
  test("MSG-4: both sides write, each gets the other's messages, and reading marks nothing", async () => {
    const profileId = await profileOf(athlete, 'Серікбаев Ғалым');
    const id = await registration(athlete, { profileId, class: 'Юниор' });
    const sent = await send(athlete, of('athlete', id), 'When does it start?');
    expect(sent).toEqual({
      id: expect.any(Number),
      message: 'When does it start?',
      author: { side: 'athlete', name: 'Серікбаев Ғалым' },
      mine: true,
      created_at: expect.stringMatching(/\+05:00$/),
      read_at: null,
    });
    const answer = await send(organizer, of('organizer', id), 'At ten.');
    const seen = await read(athlete, of('athlete', id));
    expect(seen.data).toEqual({
      registration_id: id,
      perspective: 'athlete',
      messages: [{ ...answer, author: { side: 'organizer', name: 'Алатау автоклубы' }, mine: false }, sent],
    });
    expect(seen.meta).toEqual({ total: 2, page: 1, limit: 20 });
    expect(await unreadOf(athlete, 'athlete', id)).toBe(1);
    expect(await unreadOf(organizer, 'organizer', id)).toBe(1);
    expect((await dialogs(organizer)).find((row: { registration_id: number }) => row.registration_id === id)).toEqual({
      kind: 'registration',
      perspective: 'organizer',
      registration_id: id,
      title: 'Серікбаев Ғалым: Rally of Almaty, Юниор',
      unread: 1,
      last_message: { ...answer, mine: true },
    });

    expect(await auditOf('registration', id)).toEqual([
      expect.objectContaining({
        action: 'messenger.message_sent',
        actor_id: athlete.userId,
        data: { message_id: sent.id, side: 'athlete', length: 19 },
      }),
      expect.objectContaining({
        action: 'messenger.message_sent',
        actor_id: organizer.userId,
        data: { message_id: answer.id, side: 'organizer', length: 7 },
      }),
    ]);
    expect([await announcedTo(sent.id), await announcedTo(answer.id)]).toEqual([[organizer.userId], [athlete.userId]]);
    const dialog = { kind: 'registration', registration_id: id, user_id: null };
    expect(await streamed(organizer, sent.id, answer.id)).toEqual([
      { dialog: { ...dialog, perspective: 'organizer' }, message: { ...sent, mine: false } },
    ]);
    expect(await streamed(athlete, sent.id, answer.id)).toEqual([
      { dialog: { ...dialog, perspective: 'athlete' }, message: { ...answer, mine: false } },
    ]);
    expect([await streamed(stranger, sent.id, answer.id), await streamed(administrator, sent.id, answer.id)]).toEqual([[], []]);
    const [{ notified } = { notified: -1 }] = await api.sql<{ notified: number }>(
      'select count(*)::int as notified from notifications where type like $1',
      ['chat%'],
    );
    expect(notified).toBe(0);
  });

  test('the first read mark stays, and covers messages up to the one that was seen', async () => {
    const id = await registration();
    const sent = [await send(athlete, of('athlete', id)), await send(athlete, of('athlete', id)), await send(athlete, of('athlete', id))];
    const own = await send(organizer, of('organizer', id));
    expect(await mark(organizer, of('organizer', id), { up_to_id: sent[1].id })).toBe(1);
    const timesOf = async () =>
      (await read(organizer, of('organizer', id))).data.messages.map(({ read_at: at }: { read_at: string | null }) => at).toReversed();
    const times = await timesOf();
    expect(times).toEqual([expect.any(String), times[0], null, null]);
    await api.sql(`update messages set read_at = read_at - interval '1 hour' where id = $1`, [sent[0].id]);
    const [first] = await timesOf();
    expect([await mark(organizer, of('organizer', id)), await mark(organizer, of('organizer', id))]).toEqual([0, 0]);
    expect(await timesOf()).toEqual([first, times[1], expect.any(String), null]);
    expect(await mark(athlete, of('athlete', id), { up_to_id: own.id - 1 })).toBe(1);
    expect(await mark(athlete, of('athlete', id), {})).toBe(0);
  });

  test.each(['submitted', 'returned', 'rejected', 'approved', 'withdrawn'] as const)(
    'goes on while the registration is %s',
    async (status) => {
      const id = await registration(athlete, { status });
      await send(athlete, of('athlete', id));
      await send(organizer, of('organizer', id));
      expect([await unreadOf(athlete, 'athlete', id), await unreadOf(organizer, 'organizer', id)]).toEqual([1, 1]);
    },
  );

  test('MSG-3: a draft has none, nor has one withdrawn as a draft; it begins with the submission', async () => {
    const profileId = await profileOf(athlete);
    const draft = await registration(athlete, { status: 'draft', profileId });
    const withdrawn = await registration(athlete, { status: 'withdrawn', class: 'N2', profileId, columns: { submittedAt: null } });
    for (const id of [draft, withdrawn]) {
      expect(await answersOf(athlete, of('athlete', id))).toEqual([notFound, notFound, notFound]);
      expect(await answersOf(organizer, of('organizer', id))).toEqual([notFound, notFound, notFound]);
    }
    await db()
      .updateTable('registrations')
      .set({ status: 'submitted', submittedAt: await now() })
      .where('id', '=', draft)
      .execute();
    expect(await unreadOf(athlete, 'athlete', draft)).toBe(0);
    await send(organizer, of('organizer', draft));
    expect(await unreadOf(athlete, 'athlete', withdrawn)).toBeUndefined();
  });

  test('MSG-2: answers 404 to strangers, administrators, for the other side and an unknown one', async () => {
    const id = await registration();
    await send(athlete, of('athlete', id));
    for (const [client, perspective] of [
      [stranger, 'athlete'],
      [stranger, 'organizer'],
      [administrator, 'athlete'],
      [administrator, 'organizer'],
      [athlete, 'organizer'],
      [organizer, 'athlete'],
      [athlete, 'federation'],
      [athlete, 'Athlete'],
    ] as const)
      expect(await answersOf(client, of(perspective, id))).toEqual([notFound, notFound, notFound]);
    expect(await answersOf(athlete, of('athlete', 2_000_000_000))).toEqual([notFound, notFound, notFound]);
    await api.platform.securityLog.flush();
    const refused = await api.sql<{ actor_id: number }>(
      `select distinct actor_id from security_events where action = 'record.refused' and subject_kind = 'registration' and subject_id = $1 order by 1`,
      [String(id)],
    );
    expect(refused.map(({ actor_id: actorId }) => actorId)).toEqual(
      [administrator, athlete, organizer, stranger].map(({ userId }) => userId).toSorted((left, right) => left - right),
    );
    expect((await dialogs(stranger)).length).toBe(0);
  });

  test('an account that is athlete and organizer has both perspectives', async () => {
    const id = await registration(organizer);
    const { id: messageId } = await send(organizer, of('athlete', id), 'To myself');
    const rows = (await dialogs(organizer)).filter((row: { registration_id: number }) => row.registration_id === id);
    expect(rows.map(({ perspective, unread }: { perspective: string; unread: number }) => [perspective, unread])).toEqual([
      ['organizer', 1],
      ['athlete', 0],
    ]);
    const mine = async (perspective: string) => (await read(organizer, of(perspective, id))).data.messages[0].mine;
    expect([await mine('athlete'), await mine('organizer')]).toEqual([true, false]);
    expect(await streamed(organizer, messageId)).toMatchObject([{ dialog: { perspective: 'organizer' } }]);
    expect([await mark(organizer, of('athlete', id)), await mark(organizer, of('organizer', id))]).toEqual([0, 0]);
  });

  test('an impersonating administrator writes for the account; the audit names both', async () => {
    const id = await registration();
    const office = await api.administrator();
    office.expect(200, await office.post('/admin/impersonate', { user_id: athlete.userId, password: administratorPassword }));
    await office.session();
    const { author } = await send(office, of('athlete', id));
    expect(author.side).toBe('athlete');
    const both = { actor_id: office.userId, impersonated_user_id: athlete.userId };
    expect(await auditOf('registration', id)).toMatchObject([both]);
    await send(organizer, of('organizer', id));
    expect(await mark(office, of('athlete', id))).toBe(0);
    // Nothing is left to mark, so no event is written.
    expect(await mark(office, of('athlete', id))).toBe(0);
    const marks = (await auditOf('registration', id)).filter(({ action }) => action === 'messenger.marked_read');
    expect(marks).toMatchObject([{ ...both, data: { side: 'athlete', messages: 1 } }]);
    const chat = async () => (await auditOf('chat', athlete.userId)).filter(({ action }) => action === 'chat.marked_read');
    const before = await chat();
    await send(administrator, `/admin/chats/${athlete.userId}`, 'A word of the federation.');
    expect(await mark(office, '/chat')).toBe(0);
    expect((await chat()).slice(before.length)).toMatchObject([{ ...both, data: { side: 'athlete', messages: 1 } }]);
  });

  test('a key needs the scopes of notifications', async () => {
    const id = await registration();
    const reader = await athlete.program(['notifications:read']);
    await read(reader, of('athlete', id));
    expect(refusal(await reader.post(`${of('athlete', id)}/messages`, { message: 'Hello' }))).toEqual([403, 'insufficient_scope']);
    const writer = await athlete.program(['notifications:write']);
    await send(writer, of('athlete', id));
    expect(refusal(await writer.get(of('athlete', id)))).toEqual([403, 'insufficient_scope']);
    const office = await administrator.program(scopes);
    expect(await answersOf(office, of('athlete', id))).toEqual([notFound, notFound, notFound]);
  });
});

describe('the text of a message', () => {
  const kept = [
    '<script>alert(1)</script> & "quotes"',
    '  blanks around\r\n\tand lines \n',
    '\u202bעברית\u202c\u200f\u200b',
    '👨‍👩‍👧‍👦'.repeat(10),
    'Қазақша мәтін ~ %_\\',
    '\u0001 a control character',
  ];
  test.each(kept)('MSG-1: %j is kept as sent', async (text) => {
    const id = await registration();
    const sent = await send(athlete, of('athlete', id), text);
    expect(sent.message).toBe(text);
    expect((await read(organizer, of('organizer', id))).data.messages[0].message).toBe(text);
  });

  test('MSG-1: code points are counted', async () => {
    expect((await send(athlete, '/chat', '😀'.repeat(3000))).message).toBe('😀'.repeat(3000));
    expect((await send(athlete, '/chat', 'x'.repeat(3000))).message).toHaveLength(3000);
    const [last] = (await auditOf('chat', athlete.userId)).slice(-2);
    expect(last?.data['length']).toBe(3000);
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'required'],
    ['a number', 7, 'invalid_type'],
    ['an empty text', '', 'too_small'],
    ['blanks', ' \n\t\u00a0\u3000\ufeff ', 'too_small'],
    ['3001 characters', 'x'.repeat(3001), 'too_big'],
    ['3001 emoji', '😀'.repeat(3001), 'too_big'],
    ['what is far too long', 'x'.repeat(20_000), 'too_big'],
    ['U+0000', 'a\u0000b', 'invalid_text'],
    ['half a character', 'a\ud83d', 'invalid_text'],
  ])('%s is refused everywhere', async (_what, message, code) => {
    const id = await registration();
    for (const [client, path] of [
      [athlete, of('athlete', id)],
      [athlete, '/chat'],
      [administrator, `/admin/chats/${athlete.userId}`],
    ] as const) {
      const answer = await client.post(`${path}/messages`, { message });
      expect(refusal(answer)).toEqual([422, 'validation_failed']);
      expect(answer.body.error.details.fields).toMatchObject([{ path: 'body.message', code }]);
    }
  });

  test('all problems are reported at once', async () => {
    const answer = await athlete.post('/chat/messages', { message: ' ', to: 7 }, { 'idempotency-key': 'with a blank' });
    expect(answer.body.error.details.fields.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).toSorted()).toEqual([
      'body.message too_small',
      'body.to unknown_field',
      'headers.idempotency-key invalid_format',
    ]);
    const marks = await athlete.post('/chat/read', { up_to_id: 0, all: true });
    expect(marks.body.error.details.fields).toHaveLength(2);
  });
});

describe('an Idempotency-Key', () => {
  test('sends, announces and audits a message once; refuses the key with another text or elsewhere', async () => {
    const id = await registration();
    const path = `${of('athlete', id)}/messages`;
    const key = { 'idempotency-key': 'once' };
    const both = await Promise.all([1, 2].map(() => athlete.post(path, { message: 'Hello' }, key)));
    const { effects, others } = sortTwins(both);
    const [[made], repeated] = [effects, await athlete.post(path, { message: 'Hello' }, key)];
    expect([effects.length, others, made?.status, repeated.status]).toEqual([1, [], 201, 201]);
    expect([made?.headers.get('location'), repeated.headers.get('idempotent-replayed')]).toEqual([`/api/v1${of('athlete', id)}`, 'true']);
    expect(repeated.body.data).toEqual(made?.body.data);
    expect(refusal(await athlete.post(path, { message: 'Bye' }, key))).toEqual([409, 'idempotency_key_conflict']);
    expect(await auditOf('registration', id)).toHaveLength(1);
    expect(await announcedTo(made?.body.data.id)).toEqual([organizer.userId]);
    organizer.expect(201, await organizer.post(`${of('organizer', id)}/messages`, { message: 'Hello' }, key));
    expect(refusal(await athlete.post('/chat/messages', { message: 'Hello' }, key))).toEqual([409, 'idempotency_key_conflict']);

    const answer = `/admin/chats/${athlete.userId}/messages`;
    const first = administrator.expect(201, await administrator.post(answer, { message: 'Hello' }, key)).body.data;
    administrator.expect(201, await administrator.post(answer, { message: 'Hello' }, key));
    athlete.expect(201, await athlete.post('/chat/messages', { message: 'Hello' }));
    const notified = await api.sql(`select 1 from notifications where type = 'chat.reply' and subject_id = $1`, [String(first.id)]);
    expect(notified).toHaveLength(1);
    expect((await read(organizer, of('organizer', id))).meta.total).toBe(2);
  });
});

describe('the chat with the federation', () => {
  test('MSG-8: a question is answered live to both, with one notification, shared by administrators', async () => {
    const person = await api.user('Асқар');
    expect((await read(person, '/chat')).data).toEqual({ unread: 0, messages: [] });
    expect((await read(person, '/chat/unread')).data).toEqual({ unread: 0 });
    expect((await read(administrator, `/admin/chats/${person.userId}`)).data).toEqual({
      user_id: person.userId,
      name: 'Асқар',
      unread: 0,
      messages: [],
    });
    const question = await send(person, '/chat', 'Which doctor?');
    expect(question.author).toEqual({ side: 'athlete', name: 'Асқар' });
    const [listed] = (await read(administrator, '/admin/chats')).data;
    expect(listed).toEqual({ user_id: person.userId, name: 'Асқар', unread: 1, last_message: { ...question, mine: false } });
    expect(await announcedTo(question.id)).toEqual([administrator.userId]);
    expect(await streamed(administrator, question.id)).toEqual([
      {
        dialog: { kind: 'administration', perspective: null, registration_id: null, user_id: person.userId },
        message: { ...question, mine: false },
      },
    ]);

    const answer = await send(administrator, `/admin/chats/${person.userId}`, 'Any of the list.');
    expect(answer).toMatchObject({
      mine: true,
      author: { side: 'federation', name: administrator.email === '' ? '' : expect.any(String) },
    });
    // Writing does not mark read.
    expect((await read(administrator, `/admin/chats/${person.userId}`)).data).toMatchObject({
      unread: 1,
      messages: [answer, { read_at: null }],
    });
    const shown = (await read(person, '/chat')).data;
    expect(shown).toEqual({
      unread: 1,
      messages: [{ ...answer, mine: false, author: { side: 'federation', name: 'Федерация' } }, question],
    });
    const [row] = (await read(person, '/messenger')).data;
    expect(row).toEqual({
      kind: 'administration',
      perspective: null,
      registration_id: null,
      title: 'Федерация',
      href: '/chat',
      unread: 1,
      last_message: shown.messages[0],
    });
    expect(await streamed(person, question.id, answer.id)).toMatchObject([
      { dialog: { kind: 'administration', user_id: null }, message: { id: answer.id, author: { name: 'Federation' } } },
    ]);
    const notified = await api.sql<{ user_id: number; facts: unknown; type: string }>(
      `select user_id, type, facts from notifications where subject_kind = 'message' and subject_id = any($1)`,
      [[String(question.id), String(answer.id)]],
    );
    expect(notified).toEqual([{ user_id: person.userId, type: 'chat.reply', facts: {} }]);

    expect([await mark(person, '/chat'), await mark(person, '/chat')]).toEqual([0, 0]);
    expect((await read(person, '/chat/unread')).data).toEqual({ unread: 0 });
    expect(await mark(administrator, `/admin/chats/${person.userId}`)).toBe(0);
    expect(await mark(administrator, `/admin/chats/${person.userId}`)).toBe(0);
    // MSG-5
    expect((await auditOf('chat', person.userId)).map(({ action, actor_id: by, data }) => [action, by, data])).toEqual([
      ['chat.read', administrator.userId, {}],
      ['chat.message_sent', person.userId, { message_id: question.id, side: 'athlete', length: 13 }],
      ['chat.message_sent', administrator.userId, { message_id: answer.id, side: 'federation', length: 16 }],
      ['chat.read', administrator.userId, {}],
      ['chat.marked_read', administrator.userId, { messages: 1 }],
    ]);
  });

  test('the list has unread ones first, then the newest, page by page', async () => {
    const people = await Promise.all([1, 2, 3].map((at) => api.user(`Listed ${at}`)));
    const [one, two, three] = people as [TestClient, TestClient, TestClient];
    for (const person of people) await send(person, '/chat');
    await mark(administrator, `/admin/chats/${three.userId}`);
    await send(administrator, `/admin/chats/${one.userId}`);
    const all: { user_id: number; unread: number }[] = (await read(administrator, '/admin/chats?limit=100')).data;
    const ids = all.map(({ user_id: id }) => id).filter((id) => people.some(({ userId }) => userId === id));
    expect(ids).toEqual([one.userId, two.userId, three.userId]);
    const unreads = all.map(({ unread }) => unread > 0);
    expect(unreads).toEqual(unreads.toSorted((left, right) => Number(right) - Number(left)));
    const second = await read(administrator, '/admin/chats?limit=2&page=2');
    expect(second.data.map(({ user_id: id }: { user_id: number }) => id)).toEqual(all.slice(2, 4).map(({ user_id: id }) => id));
    expect(second.meta).toEqual({ total: all.length, page: 2, limit: 2 });
  });

  test('MSG-7: the federation may write first, but not to blocked or unknown accounts', async () => {
    const person = await api.user();
    await send(administrator, `/admin/chats/${person.userId}`, 'Please send the papers.');
    expect((await read(person, '/chat/unread')).data.unread).toBe(1);
    await api.sql(`update users set status = 'blocked' where id = $1`, [person.userId]);
    const refused = await administrator.post(`/admin/chats/${person.userId}/messages`, { message: 'Hello' });
    expect([...refusal(refused), refused.body.error.details]).toEqual([409, 'invalid_state', { status: 'blocked' }]);
    expect((await read(administrator, `/admin/chats/${person.userId}`)).meta.total).toBe(1);
    expect(await mark(administrator, `/admin/chats/${person.userId}`)).toBe(0);
    expect(await answersOf(administrator, '/admin/chats/2000000000')).toEqual([notFound, notFound, notFound]);
  });

  test('MSG-2: belongs to its account; a former administrator gets no events', async () => {
    const { id } = await send(athlete, '/chat', 'Between us');
    expect((await read(stranger, '/chat')).data).toEqual({ unread: 0, messages: [] });
    expect(await answersOf(stranger, `/admin/chats/${athlete.userId}`)).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
    expect([await streamed(athlete, id), await streamed(stranger, id)]).toEqual([[], []]);
    await api.sql(`update users set role = 'administrator' where id = $1`, [stranger.userId]);
    expect(await streamed(stranger, id)).toHaveLength(1);
    await api.sql(`update users set role = 'user' where id = $1`, [stranger.userId]);
    expect(await streamed(stranger, id)).toEqual([]);
  });
});

describe('the messenger', () => {
  test('lists the administration first, then by page: unread, newest, without a message', async () => {
    const person = await api.user();
    const profileId = await profileOf(person);
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await registration(person, { profileId, class: `K${count}` }));
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = ids;
    await send(organizer, of('organizer', a));
    await send(person, of('athlete', c));
    await send(person, of('athlete', b));
    const pages: { kind: string; registration_id: number | null }[][] = [];
    for (const page of [1, 2, 3, 4]) {
      const listed = await read(person, `/messenger?page=${page}&limit=2`);
      expect(listed.meta).toEqual({ total: 6, page, limit: 2 });
      pages.push(listed.data);
    }
    expect(pages.map((rows) => rows.map((row) => row.registration_id ?? row.kind))).toEqual([['administration', a], [b, c], [e, d], []]);
    const [only] = (await read(person, '/messenger?limit=1')).data;
    expect(only.kind).toBe('administration');
  });

  test('MSG-9: titles and the federation use the language of the account', async () => {
    const person = await api.user();
    await api.sql(`update users set language = 'en' where id = $1`, [person.userId]);
    await send(administrator, `/admin/chats/${person.userId}`);
    const [row] = (await read(person, '/messenger')).data;
    expect([row.title, row.last_message.author.name]).toEqual(['Federation', 'Federation']);
  });
});

describe('a transfer of a profile', () => {
  const transfer = async (profileId: number, from: TestClient, to: TestClient) => {
    const body = {
      current_user_id: from.userId,
      target_user_id: to.userId,
      reason: 'The club takes over',
      password: administratorPassword,
    };
    return administrator.expect(200, await administrator.put(`/admin/profiles/${profileId}/owner`, body)).body.data;
  };
  const previewed = async (profileId: number, to: TestClient) =>
    (await read(administrator, `/admin/profiles/${profileId}/owner/preview?target_user_id=${to.userId}`)).data.counts.conversations;

  test('MSG-6: moves the conversations of registrations with their unread messages; the chat stays', async () => {
    await api.startWorkers();
    const [from, to] = await Promise.all([api.user('Old owner'), api.user('New owner')]);
    const profileId = await fixturesOf(api).profile(from);
    const id = await registration(from, { profileId });
    await registration(from, { profileId, class: 'N2' });
    expect(await previewed(profileId, to)).toBe(0);
    const sent = await send(from, of('athlete', id), 'As the old owner');
    const unseen = await send(organizer, of('organizer', id), 'To the old owner');
    await send(from, '/chat');
    expect(await previewed(profileId, to)).toBe(1);
    expect((await transfer(profileId, from, to)).moved.conversations).toBe(1);
    expect(await answersOf(from, of('athlete', id))).toEqual([notFound, notFound, notFound]);
    const { messages } = (await read(to, of('athlete', id))).data;
    // The old owner spoke by the name of the profile, and no account is named.
    expect(messages.map((message: { mine: boolean; author: { name: string } }) => [message.mine, message.author.name])).toEqual([
      [false, 'Алатау автоклубы'],
      [true, sent.author.name],
    ]);
    expect(JSON.stringify(messages)).not.toMatch(/Old owner|New owner/);
    expect([await dialogs(from), await unreadOf(to, 'athlete', id)]).toEqual([[], 1]);
    expect([await streamed(from, unseen.id), (await streamed(to, unseen.id)).length]).toEqual([[], 1]);
    expect([(await read(from, '/chat')).meta.total, (await read(to, '/chat')).meta.total]).toEqual([1, 0]);
  });

  test('MSG-6: of an organizer moves those about its competitions', async () => {
    await api.startWorkers();
    const [from, to] = await Promise.all([api.user(), api.user()]);
    const event = await eventFixtures(api.platform).event(from);
    const id = await registration(athlete, { eventId: event.id });
    await send(athlete, of('athlete', id));
    expect(await previewed(event.profileId, to)).toBe(1);
    await transfer(event.profileId, from, to);
    expect(await answersOf(from, of('organizer', id))).toEqual([notFound, notFound, notFound]);
    expect(await unreadOf(to, 'organizer', id)).toBe(1);
    const { id: next } = await send(athlete, of('athlete', id));
    expect(await announcedTo(next)).toEqual([to.userId]);
  });
});
