import exceljs from 'exceljs';
import type { Answer, TestClient } from '../../support/client.ts';
import { eventFixtures, type MadeEvent } from '../../support/factories/events.ts';
import type { MadeApplication } from '../../support/factories.ts';
import { useRegistry } from '../../support/use-registry.ts';
import { yearOf } from '../../../src/platform/time/date-time.ts';

/** Imports of registrations (IMP-1, IMP-2, IMP-6). */

const { api, make, audit } = await useRegistry();
const events = eventFixtures(api.platform);
const organizer = await api.user('Organizer');
/** The year of the tests' clock, set to its summer, so that no licence ends during the tests. */
const year = yearOf(new Date()) + 1;
const at = (day: string) => new Date(`${year}-${day}T10:00:00+05:00`);

beforeAll(async () => {
  await api.travelTo(`${year}-06-01T12:00:00+05:00`);
});

const settings = {
  classes: ['N2', 'R5'],
  crew: { roles: ['Штурман'], min: 0, max: 1 },
  vehicleFields: [
    { code: 'brand', title: 'Марка', required: true },
    { code: 'plate', title: 'Номер авто', required: false },
  ],
  columns: ['start_number', 'name', 'birth_date', 'phone', 'class', 'status', 'licence_number', 'vehicle.brand', 'vehicle.plate', 'crew'],
};

const competition = (fields = {}): Promise<MadeEvent> =>
  events.event(organizer, { startsAt: at('08-01'), endsAt: at('08-02'), settings: { ...settings, ...fields } });

interface Athlete extends MadeApplication {
  name: string;
  number: string;
}

async function athlete(client: TestClient, name: string, data: Record<string, string> = {}): Promise<Athlete> {
  const [last_name = '', first_name = ''] = name.split(' ');
  const made = await make.application(client, { status: 'approved', profile: { data: { last_name, first_name, ...data } } });
  const [row] = await api.sql<{ name: string; number: string }>(
    `select p.name, c.number from profiles p join applications a on a.profile_id = p.id join certificates c on c.application_id = a.id
      where a.id = $1`,
    [made.id],
  );
  if (row === undefined) throw new Error('the athlete has no certificate');
  return { ...made, ...row };
}

type Mode = 'check' | 'draft' | 'submit';

function send(client: TestClient, eventId: number, mode: Mode, content: string | Buffer): Promise<Answer> {
  const form = new FormData();
  form.set('mode', mode);
  form.set('file', new Blob([new Uint8Array(Buffer.from(content))]), 'list.csv');
  return client.request('POST', `/events/${eventId}/registrations/import`, { raw: form });
}

const take = async (client: TestClient, eventId: number, mode: Mode, content: string | Buffer) =>
  client.expect(200, await send(client, eventId, mode, content)).body.data;
const csv = (...rows: readonly (readonly string[])[]) => rows.map((row) => row.join(';')).join('\r\n');
const own = async (client: TestClient, eventId: number) =>
  client.expect(200, await client.get(`/event-registrations?event_id=${eventId}`)).body.data;

/** All tables that an import may write, as they are. */
async function state(): Promise<unknown> {
  const tables = ['registrations', 'registration_licences', 'registration_crew', 'registration_history', 'audit_events', 'imports'];
  return Promise.all(tables.map((table) => api.sql(`select count(*), max(md5(t::text)) from ${table} t`)));
}

test('takes good rows, names each wrong cell with its rule, and changes nothing when it is sent again', async () => {
  const client = await api.user();
  const [first, second] = [await athlete(client, 'Иванов Пётр'), await athlete(client, 'Әлиев Нұрлан')];
  const event = await competition();
  const sheet = csv(
    ['Список клуба', '', '', '', ''],
    ['ФИО', 'Класс', 'Лицензия', 'Марка', 'Комментарий'],
    [` ${first.name} `, 'n2', first.number, 'Toyota', 'новая машина'],
    ['', 'N2', '', '', ''],
    [second.name, 'Т1', first.number, '', ''],
    ['Петров Иван', 'R5', '', 'Lada', ''],
    [second.name, 'R5', second.number, '', ''],
  );
  const sent = await take(client, event.id, 'submit', sheet);
  expect(sent.rows).toEqual([
    { sheet: null, row: 3, ok: true, change: 'created', registration_id: expect.any(Number), problems: [] },
    {
      sheet: null,
      row: 4,
      ok: false,
      change: null,
      problems: [
        { cell: 'A4', column: 'ФИО', code: 'required', message: 'is required: the name of an athlete of this account' },
        { cell: 'D4', column: 'Марка', code: 'required', message: 'is required' },
      ],
    },
    {
      sheet: null,
      row: 5,
      ok: false,
      change: null,
      problems: [
        { cell: 'B5', column: 'Класс', code: 'unknown_class', message: 'is not a class of the event; allowed: N2, R5' },
        {
          cell: 'C5',
          column: 'Лицензия',
          code: 'not_found',
          message: `is not the number of a certificate or licence of this athlete; allowed: ${second.number}`,
        },
        { cell: 'D5', column: 'Марка', code: 'required', message: 'is required' },
      ],
    },
    { sheet: null, row: 6, ok: false, change: null, problems: [expect.objectContaining({ cell: 'A6', code: 'not_found' })] },
    {
      sheet: null,
      row: 7,
      ok: false,
      change: null,
      problems: [{ cell: 'D7', column: 'Марка', code: 'required', message: 'is required' }],
    },
  ]);
  expect(sent.summary).toEqual({
    total: 5,
    taken: 5,
    ok: 1,
    refused: 4,
    created: 1,
    changed: 0,
    unchanged: 0,
    left_out: 0,
    ignored_columns: ['Комментарий'],
  });
  const [registration] = await own(client, event.id);
  expect(registration).toMatchObject({ class: 'N2', status: 'submitted', vehicle: { brand: 'Toyota' }, application_id: first.id });
  expect((await audit('registration', registration.id)).map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['registration.submitted', client.userId],
  ]);

  const before = await state();
  const again = await take(client, event.id, 'submit', sheet);
  expect(again.rows[0]).toEqual({ sheet: null, row: 3, ok: true, change: 'unchanged', registration_id: registration.id, problems: [] });
  expect(await state()).toEqual(before);
});

test('a check answers what a submission would do, and writes nothing (IMP-1)', async () => {
  const client = await api.user();
  const [first, second] = [await athlete(client, 'Сейтов Ерлан'), await athlete(client, 'Сейтов Арман')];
  const event = await competition({ classLimits: [{ name: 'N2', capacity: 1, waitingList: false, offerHours: 48 }] });
  const sheet = csv(
    ['Athlete', 'Class', 'Licence number', 'vehicle.brand'],
    [first.name, 'N2', first.number, 'Lada'],
    [second.name, 'N2', second.number, 'Lada'],
  );
  const before = await state();
  const checked = await take(client, event.id, 'check', sheet);
  expect(await state()).toEqual(before);
  expect(checked.rows).toEqual([
    { sheet: null, row: 2, ok: true, change: 'created', problems: [] },
    { sheet: null, row: 3, ok: false, change: null, problems: [expect.objectContaining({ cell: 'B3', code: 'class_full' })] },
  ]);
  const sent = await take(client, event.id, 'submit', sheet);
  expect(sent.rows.map(({ change }: { change: string }) => change)).toEqual(checked.rows.map(({ change }: { change: string }) => change));
});

test('a draft is saved, changed by its number or by athlete and class, and submitted', async () => {
  const client = await api.user();
  const person = await athlete(client, 'Ким Олег', { birth_date: '1990-05-17', phone: '+7 701 123 45 67' });
  const event = await competition();
  const titles = ['Спортсмен', 'Дата рождения', 'Телефон', 'Класс', 'Номер лицензии', 'Марка', 'Номер авто'];
  const row = [person.name, '17.05.1990', '77011234567', 'R5', '', 'Lada', '001 AAA 02'];
  const [made] = (await take(client, event.id, 'draft', csv(titles, row))).rows;
  expect(made).toMatchObject({ ok: true, change: 'created' });
  const id = made.registration_id;
  expect(await own(client, event.id)).toMatchObject([
    { id, status: 'draft', application_id: null, vehicle: { brand: 'Lada', plate: '001 AAA 02' } },
  ]);

  // Columns that the sheet does not have stay; an empty cell clears.
  const changed = await take(
    client,
    event.id,
    'draft',
    csv(['Registration', 'Licence number', 'Номер авто'], [String(id), person.number, '']),
  );
  expect(changed.rows).toMatchObject([{ ok: true, change: 'changed', registration_id: id }]);
  expect(await own(client, event.id)).toMatchObject([{ id, status: 'draft', application_id: person.id, vehicle: { brand: 'Lada' } }]);

  const submitted = await take(client, event.id, 'submit', csv(['Спортсмен', 'Класс'], [person.name, 'R5']));
  expect(submitted.rows).toMatchObject([{ ok: true, change: 'changed', registration_id: id }]);
  expect(await own(client, event.id)).toMatchObject([{ id, status: 'submitted', vehicle: { brand: 'Lada' } }]);

  // By the licence, without the second name; a number that no record has.
  const known = await take(client, event.id, 'submit', csv(['ФИО', 'Класс', 'Лицензия'], ['Олег К.', 'R5', person.number]));
  expect(known.rows).toMatchObject([{ ok: true, change: 'unchanged', registration_id: id }]);
  for (const number of ['99999999999', '0', '-3', '1,5']) {
    const unknown = await take(client, event.id, 'draft', csv(['Registration', 'Марка'], [number, 'Kia']));
    expect(unknown.rows).toMatchObject([{ ok: false, problems: [{ cell: 'A2', code: 'not_found' }] }]);
  }

  // A submitted one is the organizer's.
  const refused = await take(client, event.id, 'submit', csv(['Спортсмен', 'Класс', 'Марка'], [person.name, 'R5', 'Kia']));
  expect(refused.rows).toMatchObject([{ ok: false, problems: [{ cell: 'A2', code: 'invalid_state' }] }]);
});

test('tells athletes of one name apart, and refuses what contradicts a profile', async () => {
  const client = await api.user();
  const older = await athlete(client, 'Ли Анна', { birth_date: '1985-02-28' });
  const younger = await athlete(client, 'Ли Анна', { birth_date: '2001-01-31' });
  const event = await competition();
  const titles = ['Name', 'Date of birth', 'Class', 'Licence', 'Марка'];
  const { rows } = await take(
    client,
    event.id,
    'submit',
    csv(
      titles,
      ['Ли Анна', '', 'N2', '', 'Lada'],
      ['Ли Анна', '2001-01-31', 'N2', younger.number, 'Lada'],
      ['Ли Анна', '28.02.1985', 'R5', younger.number, 'Lada'],
      ['Ли Анна', '01.01.1999', 'R5', older.number, 'Lada'],
      ['Ли Анна', '31.02.1985', 'R5', older.number, 'Lada'],
      // Initials: the licence says whose.
      ['Ли А.', '', 'R5', older.number, 'Lada'],
      ['Ким Олег', '', 'R5', younger.number, 'Lada'],
    ),
  );
  expect(
    rows.map(({ problems }: { problems: { cell: string; code: string }[] }) => problems.map(({ cell, code }) => [cell, code])),
  ).toEqual([[['A2', 'ambiguous']], [], [['D4', 'not_found']], [['B5', 'differs']], [['B6', 'not_a_day']], [], [['A8', 'not_found']]]);
  expect(rows[2].problems[0].message).toBe(`is not the number of a certificate or licence of this athlete; allowed: ${older.number}`);
  expect(await own(client, event.id)).toMatchObject([{ profile_id: older.profileId }, { profile_id: younger.profileId }]);
});

test('the template and the export go back in unchanged (IMP-6)', async () => {
  const client = await api.user();
  const [driver, codriver] = [await athlete(client, 'Пак Виктор'), await athlete(client, '=Пак Юлия')];
  await athlete(client, 'Свободный Тимур');
  const event = await competition();
  await take(
    client,
    event.id,
    'submit',
    csv(
      ['Спортсмен', 'Класс', 'Номер лицензии', 'Марка'],
      [codriver.name, 'N2', codriver.number, 'Lada'],
      [driver.name, 'R5', driver.number, 'Kia'],
    ),
  );
  const [withCrew] = (
    await take(client, event.id, 'draft', csv(['Спортсмен', 'Класс', 'Экипаж'], [driver.name, 'N2', `Штурман: ${codriver.name}`]))
  ).rows;
  expect(withCrew).toMatchObject({ ok: true, change: 'created' });

  for (const language of ['ru', 'kk', 'en']) {
    const answer = client.expect(200, await client.get(`/events/${event.id}/registrations/template.xlsx?lang=${language}`));
    const book = await new exceljs.Workbook().xlsx.load(answer.bytes as never);
    const rows = book.worksheets[0]?.getSheetValues().flatMap((row) => (row === null || row === undefined ? [] : [row]));
    expect(rows).toHaveLength(5);
    const before = await state();
    const back = await take(client, event.id, 'draft', answer.bytes);
    expect(back.rows.map(({ change }: { change: string }) => change).toSorted()).toEqual([
      'left_out',
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    expect(await state()).toEqual(before);
  }

  for (const { id, status } of await own(client, event.id))
    if (status === 'submitted')
      organizer.expect(200, await organizer.patch(`/events/${event.id}/registrations/${id}`, { decision: 'approve' }));
  const exported = organizer.expect(200, await organizer.get(`/events/${event.id}/registrations/export?lang=kk`));
  const before = await state();
  const back = await take(client, event.id, 'submit', exported.bytes);
  expect(back.rows).toMatchObject([
    { sheet: 'N2', row: 2, ok: true, change: 'unchanged' },
    { sheet: 'R5', row: 2, ok: true, change: 'unchanged' },
  ]);
  expect(back.summary.ignored_columns).toEqual(['Старт нөмірі', 'Мәртебесі']);
  expect(await state()).toEqual(before);
});

test('papers of another federation stay when the template is sent back, also those without a number (IMP-6)', async () => {
  const client = await api.user();
  const person = await athlete(client, 'Гость Аскар');
  const event = await competition();
  const permission = await make.document(client, person.profileId, { type: 'naf_permission', status: 'approved' });
  const licence = await make.document(client, person.profileId, { type: 'foreign_naf_license', status: 'approved' });
  await api.sql(`update documents set number = 'FIA-77' where id = $1`, [licence]);
  const papers = [permission, licence];
  for (const documentIds of [[permission], papers]) {
    const row = { profile_id: person.profileId, class: 'N2', document_ids: documentIds };
    const body = { registrations: [row], submit: false };
    const saved = client.expect(200, await client.post(`/events/${event.id}/registrations/batch`, body)).body.data.results;
    const { bytes } = client.expect(200, await client.get(`/events/${event.id}/registrations/template.xlsx`));
    const { rows } = await take(client, event.id, 'draft', bytes);
    expect(rows).toMatchObject([{ ok: true, change: 'unchanged', registration_id: saved[0].id }]);
    client.expect(200, await client.post(`/event-registrations/${saved[0].id}/withdraw`));
  }
  // By its number, the licence brings the permission.
  const sheet = csv(['ФИО', 'Класс', 'Лицензия', 'Марка'], [person.name, 'R5', 'fia-77', 'Lada']);
  expect((await take(client, event.id, 'draft', sheet)).rows).toMatchObject([{ ok: true, change: 'created' }]);
  const [made] = await own(client, event.id);
  expect(made.documents.map(({ document_id: id }: { document_id: number }) => id)).toEqual(papers);
});

test('offers classes and licences as lists', async () => {
  const client = await api.user();
  const person = await athlete(client, 'Тест Список');
  const event = await competition();
  const { bytes } = client.expect(200, await client.get(`/events/${event.id}/registrations/template.xlsx?lang=en`));
  const book = await new exceljs.Workbook().xlsx.load(bytes as never);
  const [sheet, lists] = book.worksheets;
  expect(sheet?.getRow(1).values).toEqual([
    undefined,
    'Registration',
    'Athlete',
    'Date of birth',
    'Class',
    'Licence number',
    'Марка',
    'Номер авто',
    'Crew',
    'Status',
  ]);
  expect([sheet?.getCell('B2').value, sheet?.getCell('D2').value, sheet?.getCell('E2').value]).toEqual([person.name, null, null]);
  expect([lists?.state, lists?.getColumn(1).values, lists?.getColumn(2).values]).toEqual([
    'veryHidden',
    [undefined, 'N2', 'R5'],
    [undefined, person.number],
  ]);
  expect(sheet?.getCell('D2').dataValidation).toMatchObject({ type: 'list', formulae: ['lists!$A$1:$A$2'] });
  expect(sheet?.getCell('E2001').dataValidation).toMatchObject({ type: 'list', formulae: ['lists!$B$1:$B$1'] });
});

test('the same file sent twice at once registers once (IMP-2)', async () => {
  const client = await api.user();
  const person = await athlete(client, 'Быстров Илья');
  const event = await competition();
  const sheet = csv(['ФИО', 'Класс', 'Лицензия', 'Марка'], [person.name, 'N2', person.number, 'Lada']);
  const answers = await Promise.all(Array.from({ length: 3 }, () => take(client, event.id, 'submit', sheet)));
  const changes: string[] = answers.map(({ rows: [row] }) => row.change);
  expect(changes.toSorted()).toEqual(['created', 'unchanged', 'unchanged']);
  expect(await own(client, event.id)).toHaveLength(1);
});

test('refuses files without the columns, and those that are no sheets, with what to do (IMP-4)', async () => {
  const client = await api.user();
  const event = await competition();
  const reasonOf = async (content: string | Buffer) => {
    const { status, body } = await send(client, event.id, 'check', content);
    return [status, body.error?.code, body.error?.details?.reason];
  };
  expect(await reasonOf('Марка;Класс\nLada;N2')).toEqual([422, 'file_rejected', 'columns_missing']);
  expect(await reasonOf('ФИО;Класс')).toEqual([422, 'file_rejected', 'no_rows']);
  expect(await reasonOf('ФИО;Класс;Класс\nЛи;N2;R5')).toEqual([422, 'file_rejected', 'column_repeated']);
  expect(await reasonOf(`ФИО\n${'Ли\n'.repeat(2001)}`)).toEqual([422, 'file_rejected', 'too_many_rows']);
  expect(await reasonOf(Buffer.from('89504e470d0a1a0a', 'hex'))).toEqual([422, 'file_rejected', 'unsupported_type']);
  expect(await reasonOf('')).toEqual([422, 'file_rejected', 'file_empty']);
  const missing = await client.request('POST', `/events/${event.id}/registrations/import`, { raw: new FormData() });
  expect([missing.status, missing.body.error.code]).toEqual([422, 'validation_failed']);
});

test('is for own athletes of a published event', async () => {
  const [client, other] = [await api.user(), await api.user()];
  const person = await athlete(client, 'Чужой Спортсмен');
  const event = await competition();
  const sheet = csv(['ФИО', 'Класс', 'Лицензия', 'Марка'], [person.name, 'N2', person.number, 'Lada']);
  const [foreign] = (await take(other, event.id, 'submit', sheet)).rows;
  expect(foreign).toMatchObject({ ok: false, problems: [{ cell: 'A2', code: 'not_found' }] });
  const [made] = (await take(client, event.id, 'submit', sheet)).rows;
  const named = await take(other, event.id, 'submit', csv(['Registration', 'Марка'], [String(made.registration_id), 'Kia']));
  expect(named.rows).toMatchObject([{ ok: false, problems: [{ cell: 'A2', code: 'not_found' }] }]);

  const draft = await events.event(organizer, { status: 'draft' });
  expect((await send(client, draft.id, 'check', sheet)).status).toBe(404);
  expect((await client.get(`/events/${draft.id}/registrations/template.xlsx`)).status).toBe(404);
  expect((await api.browser().get(`/events/${event.id}/registrations/template.xlsx`)).status).toBe(401);
});
