import exceljs from 'exceljs';
import type { Answer, TestClient } from '../../support/client.ts';
import { eventFixtures, type MadeEvent } from '../../support/factories/events.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import type { MadeApplication } from '../../support/factories.ts';
import { useRegistry } from '../../support/use-registry.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { yearOf } from '../../../src/platform/time/date-time.ts';

/** Imports of results (IMP-3). */

const { api, make, audit, administrator } = await useRegistry();
const db = databaseOf(api.platform.orm.em.fork());
const events = eventFixtures(api.platform);
const organizer = await api.user('Organizer');
/** The year of the tests' clock, set to its summer, so that no licence ends during the tests. */
const year = yearOf(new Date()) + 1;
const at = (day: string) => new Date(`${year}-${day}T10:00:00+05:00`);

beforeAll(async () => {
  await api.travelTo(`${year}-06-01T12:00:00+05:00`);
});

interface Athlete extends MadeApplication {
  client: TestClient;
  name: string;
  number: string;
  token: string;
}

async function athlete(name: string): Promise<Athlete> {
  const client = await api.user();
  const [last_name = '', first_name = ''] = name.split(' ');
  const made = await make.application(client, { status: 'approved', profile: { data: { last_name, first_name } } });
  const [row] = await api.sql<{ name: string; number: string; token: string }>(
    `select c.snapshot->>'holderName' as name, c.number, c.token from certificates c where c.application_id = $1`,
    [made.id],
  );
  if (row === undefined) throw new Error('the athlete has no certificate');
  return { ...made, ...row, client };
}

const competition = (): Promise<MadeEvent> =>
  events.event(organizer, { startsAt: at('06-01'), endsAt: at('06-02'), settings: { classes: ['N2', 'R5'] } });

async function approve(event: MadeEvent, { client, id, profileId }: Athlete, startNumber: string, name = 'N2'): Promise<void> {
  const row = {
    eventId: event.id,
    ownerId: client.userId,
    profileId,
    applicationIds: [id],
    class: name,
    status: 'approved' as const,
    startNumber,
  };
  await insertRegistrations(db, [row], await api.platform.clock.now(db));
}

function send(client: TestClient, eventId: number, mode: 'check' | 'submit', content: string | Buffer): Promise<Answer> {
  const form = new FormData();
  form.set('mode', mode);
  form.set('file', new Blob([new Uint8Array(Buffer.from(content))]), 'results.csv');
  return client.request('POST', `/events/${eventId}/participants/import`, { raw: form });
}

const take = async (eventId: number, mode: 'check' | 'submit', content: string | Buffer) =>
  organizer.expect(200, await send(organizer, eventId, mode, content)).body.data;
const csv = (...rows: readonly (readonly string[])[]) => rows.map((row) => row.join('\t')).join('\n');
const listed = async (eventId: number) => organizer.expect(200, await organizer.get(`/events/${eventId}/participants?limit=100`)).body.data;
const problemsIn = (rows: { problems: { cell: string; code: string }[] }[]) =>
  rows.map(({ problems }) => problems.map(({ cell, code }) => `${cell} ${code}`));
const state = () =>
  Promise.all(['participants', 'audit_events'].map((table) => api.sql(`select count(*), max(md5(t::text)) from ${table} t`)));

test('reads results by licence or start number, as organizers write them, and changes nothing when sent again', async () => {
  const [first, second, third, fourth] = [
    await athlete('Орлов Денис'),
    await athlete('Соколов Марат'),
    await athlete('Беков Айдар'),
    await athlete('Ершов Яков'),
  ];
  const event = await competition();
  await approve(event, first, '7');
  await approve(event, second, '08');
  const sheet = csv(
    ['Номер', 'ФИО', 'Лицензия', 'Класс', 'Место', 'Время'],
    ['7', 'Орлов Д.', '', 'N2', '1', '1:02:03.4'],
    ['08', 'Марат СОКОЛОВ', '', 'N2', 'сход', ''],
    ['', '', third.number.toLowerCase(), 'R5', '1 000', '59:59'],
    ['12', '', `https://registry.example/v/${fourth.token}`, 'R5', '2', '1:10:00'],
    ['99', '', '', 'N2', '3', ''],
    ['', '', 'KZ-N-1999-000001', 'N2', '4', ''],
    ['7', 'Соколов Марат', '', 'N2', '5', ''],
    ['', 'Без Номера', '', 'N2', '6', ''],
    ['13', '', fourth.token, 'R5', 'второе', ''],
  );
  const { rows } = await take(event.id, 'submit', sheet);
  expect(problemsIn(rows)).toEqual([
    [],
    [],
    [],
    ['C5 not_found'],
    ['A6 not_found'],
    ['C7 not_found'],
    expect.arrayContaining(['A8 repeated']),
    ['A9 required'],
    ['E10 not_a_place'],
  ]);
  expect(
    (await listed(event.id)).map((row: Record<string, unknown>) => [
      row['application_id'],
      row['start_number'],
      row['category'],
      row['place'],
      row['result'],
      row['result_status'],
    ]),
  ).toEqual([
    [first.id, '7', 'N2', 1, '1:02:03.4', 'finished'],
    [third.id, null, 'R5', 1000, '59:59', 'finished'],
    [second.id, '08', 'N2', null, null, 'dnf'],
  ]);
  expect((await audit('event', event.id)).map(({ action, actor_id, data }) => [action, actor_id, data['application_id']])).toEqual([
    ['event.participant_added', organizer.userId, first.id],
    ['event.participant_added', organizer.userId, second.id],
    ['event.participant_added', organizer.userId, third.id],
  ]);
  const before = await state();
  const again = await take(event.id, 'submit', sheet);
  expect(again.rows.slice(0, 3).map(({ change, application_id: id }: Record<string, unknown>) => [change, id])).toEqual([
    ['unchanged', first.id],
    ['unchanged', second.id],
    ['unchanged', third.id],
  ]);
  expect(await state()).toEqual(before);
});

test('a column that is absent stays, an empty cell clears; a line without a result adds none', async () => {
  const [first, second] = [await athlete('Тихонов Роман'), await athlete('Громов Игнат')];
  const event = await competition();
  await take(event.id, 'submit', csv(['Licence', 'Class', 'Place', 'Result'], [first.number, 'N2', '1', '10:00']));
  const changed = await take(event.id, 'submit', csv(['Licence', 'Place', 'Status'], [first.number, '', 'DSQ'], [second.number, '', '']));
  expect(changed.rows.map(({ change }: { change: string }) => change)).toEqual(['changed', 'left_out']);
  expect(await listed(event.id)).toMatchObject([{ category: 'N2', place: null, result: '10:00', result_status: 'dsq' }]);
  const refused = await take(
    event.id,
    'submit',
    csv(['Licence', 'Place', 'Status'], [first.number, '1', 'disqualified?'], [first.number, '0', '']),
  );
  expect(problemsIn(refused.rows)).toEqual([['C2 unknown_status'], ['A3 repeated', 'B3 not_a_place']]);
  expect(refused.rows[0].problems[0].message).toBe('is not a status of a result; allowed: registered, started, finished, dnf, dns, dsq');
});

test('a check writes nothing, and names a certificate that is not valid on a day of the event', async () => {
  const valid = await athlete('Годный Антон');
  const lapsed = await athlete('Просрочен Глеб');
  await api.sql(`update documents set expires_at = $2 where profile_id = $1 and type = 'medical'`, [lapsed.profileId, `${year}-05-01`]);
  const event = await competition();
  const before = await state();
  const { rows } = await take(event.id, 'check', csv(['Licence', 'Place'], [valid.number, '1'], [lapsed.number, '2']));
  expect(rows).toMatchObject([
    { ok: true, change: 'created', problems: [] },
    { ok: false, problems: [{ cell: 'A3', code: 'certificate_not_valid' }] },
  ]);
  expect(rows[0].application_id).toBeUndefined();
  expect(await state()).toEqual(before);
});

test('the template and the export of registrations go back in unchanged (IMP-6)', async () => {
  const [first, second] = [await athlete('Жуков Степан'), await athlete('Ли Вера')];
  const event = await competition();
  await approve(event, first, '7');
  await approve(event, second, '8', 'R5');
  await take(event.id, 'submit', csv(['Start number', 'Class', 'Place'], ['7', 'N2', '1']));
  for (const language of ['ru', 'kk', 'en']) {
    const { bytes } = organizer.expect(200, await organizer.get(`/events/${event.id}/participants/template.xlsx?lang=${language}`));
    const before = await state();
    const { rows } = await take(event.id, 'submit', bytes);
    expect(rows.map(({ change }: { change: string }) => change)).toEqual(['unchanged', 'left_out']);
    expect(await state()).toEqual(before);
  }
  // The export is a list of who takes part.
  const { bytes } = organizer.expect(200, await organizer.get(`/events/${event.id}/registrations/export`));
  const { rows } = await take(event.id, 'submit', bytes);
  expect(rows.map(({ change }: { change: string }) => change)).toEqual(['unchanged', 'created']);
  expect(await listed(event.id)).toMatchObject([
    { place: 1, result_status: 'finished' },
    { application_id: second.id, category: 'R5', start_number: '8', result_status: 'registered' },
  ]);
});

test('the template has an athlete of two classes once (EVT-13, IMP-6)', async () => {
  const person = await athlete('Двуклассный Олжас');
  const event = await competition();
  await approve(event, person, '7');
  await approve(event, person, '8', 'R5');
  const { bytes } = organizer.expect(200, await organizer.get(`/events/${event.id}/participants/template.xlsx`));
  const { rows } = await take(event.id, 'submit', bytes);
  expect(rows).toMatchObject([{ ok: true, change: 'left_out', problems: [] }]);
});

test('is for the organizer while the list is open; an administrator reads the template, audited', async () => {
  const person = await athlete('Закрытый Лев');
  const event = await competition();
  const sheet = csv(['Licence', 'Place'], [person.number, '1']);
  const other = await api.user();
  expect((await send(other, event.id, 'submit', sheet)).status).toBe(404);
  expect((await other.get(`/events/${event.id}/participants/template.xlsx`)).status).toBe(404);
  const answer = administrator.expect(200, await administrator.get(`/events/${event.id}/participants/template.xlsx?lang=en`));
  const book = await new exceljs.Workbook().xlsx.load(answer.bytes as never);
  expect(book.worksheets[0]?.getRow(1).values).toEqual([
    undefined,
    'Start number',
    'Athlete',
    'Licence number',
    'Class',
    'Place',
    'Result',
    'Status',
  ]);
  expect((await audit('event', event.id)).map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['event.read', administrator.userId],
    ['participants.exported', administrator.userId],
  ]);
  await api.sql(`update event_stages set status = 'submitted' where event_id = $1 and stage = 'results'`, [event.id]);
  const closed = await take(event.id, 'submit', sheet);
  expect(closed.rows).toMatchObject([{ ok: false, problems: [{ cell: 'A2', code: 'participants_closed' }] }]);
});
