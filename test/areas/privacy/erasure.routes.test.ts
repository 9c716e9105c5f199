import { Client, Connection } from '@temporalio/client';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eraseAgain } from '../../../src/areas/privacy/index.ts';
import { listErased } from '../../../src/areas/privacy/erasure/erased-list.ts';
import { dayMs, formatDateTime } from '../../../src/platform/time/date-time.ts';
import type { Answer, TestClient } from '../../support/client.ts';
import { dumpRows } from './dump-rows.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { topUp } from '../../support/factories/api.ts';
import { codeOf, refusal } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';
import { waitFor } from '../../support/wait-for.ts';

const { api, make, administrator, audit } = await useRegistry();
const { config } = api.surroundings;
const db = databaseOf(api.platform.orm.em.fork());
const events = eventFixtures(api.platform);

const request = (client: TestClient, fields = {}) => client.post('/account/erasure', { password: client.password, ...fields });
const requestOf = (userId: number, fields = {}) =>
  administrator.post(`/admin/users/${userId}/erasure`, {
    reason: 'A request on paper of 12.11.2026',
    password: administrator.password,
    ...fields,
  });
const show = async (client: TestClient) => client.expect(200, await client.get('/account/erasure')).body.data;
const showOf = async (userId: number) => administrator.expect(200, await administrator.get(`/admin/users/${userId}/erasure`)).body.data;
const told = (userId: number) =>
  api
    .sql<{ type: string }>(`select type from notifications where user_id = $1 and type like 'account_erasure.%' order by id`, [userId])
    .then((rows) => rows.map(({ type }) => type));
const later = (instant: string, ms: number) => formatDateTime(new Date(Date.parse(instant) + ms));

/** Travels past the wait of an erasure. @returns when it was due */
async function travelToEnd(userId: number): Promise<string> {
  const { due_at: end } = await showOf(userId);
  await api.travelTo(later(end, 1_000));
  return end;
}

const erased = (userId: number) =>
  waitFor(
    () => showOf(userId),
    ({ erased_at: at }) => at !== null,
    'the account to be erased',
  );

test('a request waits, is withdrawn, and can be made again; a second one is refused (PRV-4)', async () => {
  const person = await api.user();
  await make.file(person, 'scan');
  expect(await show(person)).toMatchObject({ status: 'none', due_at: null, erased_at: null });
  expect(codeOf(await person.delete('/account/erasure'))).toBe('404 not_found');
  expect(codeOf(await request(person, { password: 'not the password' }))).toBe('403 password_confirmation_failed');
  const answer = person.expect(202, await request(person));
  expect(answer.headers.get('location')).toBe('/api/v1/account/erasure');
  const { data } = answer.body;
  expect(Date.parse(data.due_at) - Date.parse(data.requested_at)).toBe(14 * dayMs);
  expect(data).toMatchObject({ status: 'waiting', erased_at: null, preview: { blocked_by: [] } });
  expect(data.preview.erased).toMatchObject({ file_content: 1, session: expect.any(Number) });
  expect(data.preview.kept).toContainEqual({ kind: 'user', n: 1, why: 'numbers', until: null });
  expect(await request(person)).toMatchObject(refusal(409, 'invalid_state', { status: 'waiting', allowed: ['withdraw'] }));
  person.expect(200, await person.delete('/account/erasure'));
  expect(await request(person).then(codeOf)).toBe('202');
  expect(administrator.expect(200, await administrator.delete(`/admin/users/${person.userId}/erasure`)).body.data.status).toBe('none');
  expect(codeOf(await person.delete('/account/erasure'))).toBe('409 invalid_state');
  const rows = await audit('account_erasure', person.userId);
  expect(rows.map(({ action, actor_id: by }) => [action, by])).toEqual([
    ['account_erasure.requested', person.userId],
    ['account_erasure.withdrawn', person.userId],
    ['account_erasure.requested', person.userId],
    ['account_erasure.withdrawn', administrator.userId],
  ]);
  expect(await told(person.userId)).toEqual(rows.map(({ action }) => action));
});

test('only the person asks for their own erasure; administrators start that of people, not of each other (PRV-4)', async () => {
  const person = await api.user();
  const other = await api.anotherAdministrator();
  expect(codeOf(await request(administrator))).toBe('202');
  administrator.expect(200, await administrator.delete('/account/erasure'));
  expect(codeOf(await requestOf(other.userId))).toBe('409 target_is_administrator');
  expect(codeOf(await requestOf(administrator.userId))).toBe('409 own_account');
  expect(codeOf(await requestOf(999_999))).toBe('404 not_found');
  expect(codeOf(await administrator.get('/admin/users/999999/erasure'))).toBe('404 not_found');
  const clerk = await api.administrator();
  clerk.expect(200, await clerk.post('/admin/impersonate', { user_id: person.userId, password: clerk.password }));
  expect(codeOf(await clerk.get('/account/erasure'))).toBe('403 forbidden_while_impersonating');
  expect(codeOf(await requestOf(person.userId))).toBe('202');
  expect(await show(person)).toMatchObject({ status: 'waiting' });
  expect(await told(person.userId)).toEqual(['account_erasure.requested']);
  expect(await api.sql('select reason from account_erasures where id = $1', [person.userId])).toEqual([
    { reason: 'A request on paper of 12.11.2026' },
  ]);
  person.expect(200, await person.delete('/account/erasure'));
});

test.each([
  ['open_application', async (person: TestClient) => (await make.application(person, { status: 'draft' })).id],
  ['event_to_come', async (person: TestClient) => (await events.event(person, { status: 'published' })).id],
  ['agreement_in_force', async (person: TestClient) => (await contractFixtures(api.platform).contract(person, { status: 'confirmed' })).id],
  [
    'open_registration',
    async (person: TestClient) => {
      const event = await events.event(await api.user(), { status: 'published' });
      const profileId = await make.profile(person, { status: 'approved' });
      const row = { eventId: event.id, ownerId: person.userId, profileId, status: 'approved' } as const;
      return (await insertRegistrations(db, [row], new Date()))[0];
    },
  ],
  [
    'open_invoice',
    async (person: TestClient) =>
      person.expect(201, await person.post('/invoices', { amount: '100.00' }, { 'idempotency-key': 'an-open-invoice' })).body.data.id,
  ],
  [
    'money_in_wallet',
    async (person: TestClient) => {
      await topUp(person, api.surroundings.bank.url, '100.00');
      return person.userId;
    },
  ],
])('%s prevents an erasure, with its records and a step (PRV-4)', async (code, block) => {
  const person = await api.user();
  const id = await block(person);
  const blocked = (await show(person)).preview.blocked_by.find((each: { code: string }) => each.code === code);
  expect(blocked).toEqual({ code, kind: expect.stringMatching(/^[a-z]+$/), ids: [id], step: expect.stringMatching(/[a-z]\.$/) });
  const answer = await request(person);
  expect(answer).toMatchObject(refusal(409, 'erasure_blocked'));
  expect(answer.body.error.details.blocked_by.map((each: { code: string }) => each.code)).toContain(code);
});

test('what comes up during the wait makes it wait a day at a time, and the owner is notified once (PRV-4)', async () => {
  const person = await api.user();
  person.expect(202, await request(person));
  await topUp(person, api.surroundings.bank.url, '100.00');
  const end = await travelToEnd(person.userId);
  const tried = () =>
    waitFor(
      () => showOf(person.userId),
      ({ due_at: at }) => Date.parse(at) > Date.parse(end) + dayMs / 2,
      'the erasure to be tried',
    );
  const { due_at: next } = await tried();
  expect(await told(person.userId)).toEqual(['account_erasure.requested', 'account_erasure.blocked']);
  const correction = { user_id: person.userId, amount: '100.00', direction: 'debit', reason: 'Paid out to the person.' };
  const key = { 'idempotency-key': 'paid-out' };
  administrator.expect(
    201,
    await administrator.post('/admin/ledger/corrections', { ...correction, password: administrator.password }, key),
  );
  await api.travelTo(later(next, 1_000));
  await erased(person.userId);
});

test('an erasure is reminded of, carried out with its bytes, and proves what others need (PRV-5)', async () => {
  const person = await api.user('Жансая Қуандыққызы');
  const profile = { status: 'approved', data: { last_name: 'Қуандыққызы', first_name: 'Жансая', iin: '900517300128' } } as const;
  const made = await make.application(person, { status: 'approved', profile });
  const waiting = await make.document(person, made.profileId, { type: 'medical', status: 'pending' });
  person.expect(200, await person.get(`/applications/${made.id}/certificate`));
  person.expect(202, await person.post('/account/exports', { password: person.password }));
  await waitFor(
    () => api.sql<{ status: string }>('select status from account_exports where user_id = $1', [person.userId]),
    ([row]) => row?.status === 'ready',
    'the archive',
  );
  administrator.expect(200, await administrator.post('/admin/national/lists/insurance', { operation: 'add', ids: [made.id] }));
  const { id: exportId } = administrator.expect(201, await administrator.post('/admin/national/lists/insurance/export', { ids: [made.id] }))
    .body.data;
  await waitFor(
    async () => administrator.expect(200, await administrator.get(`/admin/national/exports/${exportId}`)).body.data.status,
    (status) => status === 'ready',
    'the export of the federation',
  );
  const stored = () =>
    readdirSync(join(config.DATA_DIR, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const keys = await api.sql<{ key: string }>(
    `select storage_key as key from files where owner_id = $1 union all select pdf_storage_key from certificates where application_id = $2`,
    [person.userId, made.id],
  );
  const isStored = ({ key }: { key: string }) => stored().some((entry) => join(entry.parentPath, entry.name).endsWith(key));
  expect(keys.filter(isStored)).toHaveLength(keys.length);

  const { due_at: end } = person.expect(202, await request(person)).body.data;
  await api.travelTo(later(end, 1_000 - 3 * dayMs));
  await waitFor(
    () => told(person.userId),
    (types) => types.includes('account_erasure.reminder'),
    'the reminder',
  );
  await travelToEnd(person.userId);
  const { erased_at: at } = await erased(person.userId);
  expect(codeOf(await person.get('/account'))).toBe('401 unauthenticated');
  const browser = api.browser();
  expect(
    codeOf(
      await browser.login(person.email, person.password).then(
        () => browser.get('/account'),
        () => browser.get('/account'),
      ),
    ),
  ).toBe('401 unauthenticated');
  await waitFor(
    () => api.sql<{ status: string }>('select status from documents where id = $1', [waiting]),
    ([row]) => row?.status === 'cancelled',
    'the records to be erased',
  );
  await waitFor(
    async () => keys.filter(isStored),
    (left) => left.length === 0,
    'the bytes to be removed',
  );
  await api.travelTo(later(at, dayMs + 1_000));
  await waitFor(
    () => showOf(person.userId),
    ({ status }) => status === 'done',
    'the second look',
  );
  const unblock = { status: 'active', password: administrator.password };
  // The sessions of before the journey have ended.
  const clerk = await api.administrator();
  expect(codeOf(await clerk.patch(`/admin/users/${person.userId}`, unblock))).toBe('409 invalid_state');
  const versionOf = async (record: string) => clerk.expect(200, await clerk.get(`/admin/records/${record}`)).body.data.updated_at;
  const [profileRecord, documentRecord] = [`profile/${made.profileId}`, `document/${made.documentIds[0]}`];
  const { password } = clerk;
  const moved = { current_user_id: person.userId, target_user_id: (await api.user()).userId, reason: 'A late paper', password };
  const credit = { user_id: person.userId, amount: '1.00', direction: 'credit', reason: 'A late payment', password };
  for (const written of [
    clerk.patch(`/admin/records/${profileRecord}`, { data: { last_name: 'Қуандыққызы' }, updated_at: await versionOf(profileRecord) }),
    clerk.patch(`/admin/records/${documentRecord}`, { number: '900517', updated_at: await versionOf(documentRecord) }),
    clerk.put(`/admin/profiles/${made.profileId}/owner`, moved),
    clerk.post('/admin/ledger/corrections', credit, { 'idempotency-key': 'late' }),
    clerk.post(`/admin/chats/${person.userId}/messages`, { message: 'Қуандыққызы' }),
  ])
    expect(codeOf(await written)).toBe('409 invalid_state');
  expect(codeOf(await clerk.get(`/applications/${made.id}/certificate`))).toBe('404 not_found');
  expect(
    await api.sql(`select f.purged_at is not null as is_purged from files f join national_exports e on e.file_id = f.id where e.id = $1`, [
      exportId,
    ]),
  ).toEqual([{ is_purged: true }]);
  const onPaper = { reason: 'A request on paper', password: clerk.password };
  expect(codeOf(await clerk.post(`/admin/users/${person.userId}/erasure`, onPaper))).toBe('409 invalid_state');

  const [certificate] = await api.sql<{ token: string }>('select token from certificates where application_id = $1', [made.id]);
  const shown = browser.expect(200, await browser.get(`/verify/${certificate?.token}`)).body.data;
  expect(shown).toMatchObject({ number: expect.any(String), valid_until: expect.any(String) });
  expect(JSON.stringify(shown)).not.toContain('Жансая');

  const secrets = ['Қуандыққызы', 'Жансая', '900517300128', person.email].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const named = (text: string) => secrets.filter((secret) => text.includes(secret));
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS ?? '' });
  const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
  let histories = 0;
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const payloads = JSON.stringify(history, (_name, value) => (value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value));
    expect([workflowId, named(payloads)]).toEqual([workflowId, []]);
    histories += 1;
  }
  await connection.close();
  expect(histories).toBeGreaterThan(3);
  for (const entry of stored()) expect(named(readFileSync(join(entry.parentPath, entry.name)).toString())).toEqual([]);
});

test('a restored account is erased again, by its number and the instant of its registration (PRV-6)', async () => {
  const [person, other] = [await api.user(), await api.user()];
  const registeredOf = async ({ userId }: TestClient) => {
    const [user] = await api.sql<{ created_at: Date }>('select created_at from users where id = $1', [userId]);
    return user?.created_at ?? new Date(0);
  };
  await Promise.all([
    listErased(api.platform, { id: person.userId, registeredAt: await registeredOf(person) }),
    listErased(api.platform, { id: other.userId, registeredAt: new Date('2020-01-01T00:00:00Z') }),
  ]);
  const again = () => eraseAgain(api.platform, api.platform.storage);
  expect(await again()).toEqual([person.userId]);
  await waitFor(
    () => api.sql('select id from account_erasures where id = $1 and purged_at is not null', [person.userId]),
    (purged) => purged.length === 1,
    'its bytes to be removed, after which there is nothing to erase',
  );
  expect(await again()).toEqual([]);
  expect(codeOf(await person.get('/account'))).toBe('401 unauthenticated');
  expect(codeOf(await other.get('/account'))).toBe('200');
  await erased(person.userId);
});

test('a withdrawal at the instant of the end is refused, and an upload at that moment leaves nothing', async () => {
  const person = await api.user();
  person.expect(202, await request(person));
  await api.stopWorkers();
  const { due_at: end } = await showOf(person.userId);
  api.browser().expect(200, await api.browser().put('/sandbox/clock', { now: end }));
  expect(codeOf(await person.delete('/account/erasure'))).toBe('409 invalid_state');
  const uploads = Promise.allSettled(Array.from({ length: 4 }, () => make.file(person, 'scan')));
  await api.startWorkers();
  await api.travelTo(later(end, 1_000));
  await uploads;
  await erased(person.userId);
  await waitFor(
    () => api.sql('select id from files where owner_id = $1 and (deleted_at is null or purged_at is null)', [person.userId]),
    (left) => left.length === 0,
    'no file to be left',
  );
});

test('what the person does at the moment of the erasure comes before it or is refused; nothing of it is left', async () => {
  const name = 'Ерасыл Тоқтарұлы';
  const person = await api.user('Leaving Person');
  const profileId = await make.profile(person, { status: 'approved' });
  person.expect(202, await request(person));
  const { due_at: end } = await showOf(person.userId);
  const ending = new AbortController();
  const answers = new Map<string, Set<string>>();
  const repeat = async (what: string, act: () => Promise<Answer>) => {
    const seen = new Set<string>();
    answers.set(what, seen);
    while (!ending.signal.aborted) seen.add(await act().then(codeOf));
  };
  let count = 0;
  const acts = [
    repeat('set', () => person.patch('/account', { language: 'kk' })),
    repeat('change', () => person.patch(`/profiles/${profileId}`, { data: { city: name } })),
    repeat('write', () => person.post('/chat/messages', { message: name }, { 'idempotency-key': `moment-${(count += 1)}` })),
    repeat('sign in', async () => {
      const browser = api.browser();
      await browser.login(person.email, person.password).catch(() => undefined);
      return browser.get('/account');
    }),
  ];
  await api.travelTo(later(end, 1_000));
  const { erased_at: at } = await erased(person.userId);
  ending.abort();
  await Promise.all(acts);
  for (const [what, seen] of answers) {
    expect([what, [...seen].filter((code) => !/^[24]/.test(code))]).toEqual([what, []]);
    expect([what, [...seen]]).toEqual([what, expect.arrayContaining([expect.stringMatching(/^2/)])]);
  }
  await api.travelTo(later(at, dayMs + 1_000));
  await waitFor(
    async () => (await api.administrator()).get(`/admin/users/${person.userId}/erasure`),
    ({ body }) => body.data.status === 'done',
    'the second look',
  );
  const left = (await dumpRows(api)).filter(([, row]) => row.includes(name) || row.includes(person.email));
  // Stored answers are encrypted, and gone within a day of the real clock.
  expect(left).toEqual([]);
});
