import exceljs, { type Workbook, type Worksheet } from 'exceljs';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Answer } from '../../support/client.ts';
import { collectGarbage, measureTurns } from '../../support/event-loop.ts';
import type { MadeApplication } from '../../support/factories.ts';
import { eventFixtures, type EventOptions, type MadeEvent } from '../../support/factories/events.ts';
import { insertAthletes, insertRegistrations, type RegistrationRow } from '../../support/factories/registrations.ts';
import { insertDocuments, insertProfiles } from '../../support/factories/rows.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Reading routes of registrations; `registrations.routes.test.ts` covers the writing ones. */

const { api, make, owner: athlete, administrator, audit } = await useRegistry({ RATE_LIMIT_EXPORTS_PER_HOUR: '6' });
const db = databaseOf(api.platform.orm.em.fork());
const [organizer, other] = await Promise.all([api.user('Organizer'), api.user('Other')]);
/** A future year: certificates are valid until its end. */
const year = new Date().getFullYear() + 1;

const settings: NonNullable<EventOptions['settings']> = {
  classes: ['Абсолют', 'Жастар/ұл'],
  crew: { roles: ['Штурман'], min: 0, max: 1 },
  vehicleFields: [
    { code: 'brand', title: 'Марка', required: true },
    { code: 'plate', title: 'Мемлекеттік нөмір', required: false },
  ],
  columns: ['vehicle.brand', 'name', 'birth_date', 'licence_number', 'crew', 'start_number', 'team', 'status', 'vehicle.sold'],
};

beforeAll(async () => {
  // Rows are inserted directly; their processes do not matter here.
  await api.stopWorkers();
  await api.browser().put('/sandbox/clock', { now: `${year}-03-01T09:00:00+05:00` });
});

function makeEvent(given: EventOptions = {}, owner = organizer): Promise<MadeEvent> {
  const dates = { startsAt: new Date(`${year}-06-05T09:00:00+05:00`), endsAt: new Date(`${year}-06-06T18:00:00+05:00`) };
  return eventFixtures(api.platform).event(owner, { ...dates, settings, ...given });
}

/** An athlete of an account with a valid certificate. */
const licensed = (name: string, owner = athlete): Promise<MadeApplication> =>
  make.application(owner, { status: 'approved', profile: { status: 'approved', data: { last_name: name } } });

async function register(event: MadeEvent, on: MadeApplication, row: Partial<RegistrationRow> = {}): Promise<number> {
  const rows = [{ eventId: event.id, ownerId: athlete.userId, profileId: on.profileId, applicationIds: [on.id], class: 'Абсолют', ...row }];
  const [id = 0] = await insertRegistrations(db, rows, await api.platform.clock.now(db));
  return id;
}

const idsOf = ({ body }: Answer) => body.data.map(({ id }: { id: number }) => id);
const refusal = ({ status, body }: Answer) => [status, body.error?.code];
/** Audited actions with this name, of an event or a registration. */
const auditOf = async (action: string, id: number) =>
  (await audit(action === 'registration.read' ? 'registration' : 'event', id))
    .filter((row) => row.action === action)
    .map(({ actor_id, data }) => ({ actor_id, data }));

describe('registration options (REG-18)', () => {
  test('list for a published event what each athlete of the account has and lacks', async () => {
    const person = await api.user();
    const ready = await licensed('Дайын', person);
    const lapsing = await make.application(person, { status: 'approved', medical: { expiresAt: `${year}-06-05` } });
    const begun = await make.application(person, { status: 'submitted', medical: { status: 'pending' } });
    const idle = await make.profile(person, { status: 'approved' });
    // A licence of another discipline counts for nothing.
    const drifter = await make.application(person, { serviceId: 10, data: { discipline_id: 2 } });
    const event = await makeEvent();
    const { data } = person.expect(200, await person.get(`/events/${event.id}/registration-options`)).body;
    expect(data).toMatchObject({
      classes: ['Абсолют', 'Жастар/ұл'],
      vehicle_fields: [
        { code: 'brand', title: 'Марка', required: true },
        { code: 'plate', title: 'Мемлекеттік нөмір', required: false },
      ],
      crew: { roles: ['Штурман'], min: 0, max: 1 },
    });
    const number = expect.stringMatching(/^KZ-N-/);
    expect(data.profiles).toEqual([
      {
        profile_id: ready.profileId,
        name: 'Дайын Ғалым',
        licences: [{ application_id: ready.id, number, eligibility: { ok: true, reasons: [], past: [] } }],
        missing: [],
      },
      {
        profile_id: lapsing.profileId,
        name: expect.any(String),
        licences: [
          {
            application_id: lapsing.id,
            number,
            eligibility: {
              ok: false,
              reasons: [{ code: 'document_expired', day: `${year}-06-06`, document_id: lapsing.documentIds[1] }],
              past: [],
            },
          },
        ],
        missing: [
          {
            application_id: lapsing.id,
            rule: 'medical',
            waiting_for: 'owner',
            fix: { method: 'POST', path: '/documents' },
          },
        ],
      },
      {
        profile_id: begun.profileId,
        name: expect.any(String),
        licences: [],
        missing: [
          expect.objectContaining({ application_id: begun.id, rule: 'medical', waiting_for: 'administrator' }),
          expect.objectContaining({ application_id: begun.id, rule: 'payment', waiting_for: 'owner' }),
        ],
      },
      {
        profile_id: idle,
        name: expect.any(String),
        licences: [],
        missing: [{ application_id: null, rule: 'licence', waiting_for: 'owner', fix: { method: 'POST', path: '/applications' }, year }],
      },
      expect.objectContaining({ profile_id: drifter.profileId, licences: [], missing: [expect.objectContaining({ rule: 'licence' })] }),
    ]);
  });

  test('answer 404 for an event that is not published, also for its organizer', async () => {
    const answers = [];
    for (const status of ['draft', 'in_progress', 'cancelled'] as const)
      answers.push(refusal(await organizer.get(`/events/${(await makeEvent({ status })).id}/registration-options`)));
    expect(answers).toEqual(answers.map(() => [404, 'not_found']));
    const bare = await makeEvent({ settings: null });
    const { data } = other.expect(200, await other.get(`/events/${bare.id}/registration-options`)).body;
    expect(data).toEqual({ classes: [], vehicle_fields: [], crew: { roles: [], min: 0, max: 0 }, places: [], profiles: [] });
  });
});

describe('own registrations', () => {
  test('are listed newest first, by event and status, with drafts and without those of other accounts', async () => {
    const [first, second] = [await makeEvent(), await makeEvent()];
    const on = await licensed('Тізім');
    const draft = await register(first, on, { status: 'draft' });
    const submitted = await register(first, on, { class: 'Жастар/ұл' });
    const approved = await register(second, on, { status: 'approved' });
    const list = (query: string) => athlete.get(`/event-registrations?${query}`).then((answer) => athlete.expect(200, answer));
    expect(idsOf(await list('limit=3'))).toEqual([approved, submitted, draft]);
    const page = await list(`event_id=${first.id}&limit=1&page=2`);
    expect([idsOf(page), page.body.meta]).toEqual([[draft], { total: 2, page: 2, limit: 1 }]);
    expect(idsOf(await list(`event_id=${first.id}&status=submitted`))).toEqual([submitted]);
    expect((await list('page=99')).body).toMatchObject({ data: [], meta: { total: 3 } });
    for (const stranger of [other, organizer, administrator])
      expect(idsOf(await stranger.get(`/event-registrations?event_id=${first.id}`))).toEqual([]);
    expect(refusal(await athlete.get('/event-registrations?status=lost&event_id=0'))).toEqual([422, 'validation_failed']);
  });

  test('one shows the snapshot of its documents, its history and its current eligibility (REG-10)', async () => {
    const event = await makeEvent();
    const on = await licensed('Жазба');
    const id = await register(event, on, { vehicle: { brand: 'ВАЗ' }, startNumber: '007' });
    const [, medical] = on.documentIds;
    await api.sql(`update documents set expires_at = $1, number = 'NEW' where id = $2`, [`${year}-06-05`, medical]);
    const { data } = athlete.expect(200, await athlete.get(`/event-registrations/${id}`)).body;
    expect(data).toMatchObject({
      id,
      event_id: event.id,
      profile_id: on.profileId,
      application_id: on.id,
      class: 'Абсолют',
      vehicle: { brand: 'ВАЗ' },
      crew: [],
      status: 'submitted',
      start_number: '007',
      history: [{ status: 'submitted', actor: 'athlete', reason: null }],
      eligibility: { ok: false, reasons: [{ code: 'document_expired', day: `${year}-06-06`, document_id: medical }] },
    });
    expect(data.process).toBeUndefined();
    // The snapshot does not follow later changes.
    expect(data.documents).toEqual(
      on.documentIds.map((documentId) =>
        expect.objectContaining({ document_id: documentId, number: 'N12345678', expires_at: '2034-01-10', file_id: expect.any(String) }),
      ),
    );
  });

  test('one answers 404 to the organizer; an administrator sees the process and is audited', async () => {
    const id = await register(await makeEvent(), await licensed('Бөтен'));
    expect(refusal(await organizer.get(`/event-registrations/${id}`))).toEqual([404, 'not_found']);
    const { data } = administrator.expect(200, await administrator.get(`/event-registrations/${id}`)).body;
    expect(data.process).toMatchObject({ workflow_id: `registration/${id}`, waiting_for: 'organizer' });
    administrator.expect(200, await administrator.get(`/event-registrations/${id}/timeline`));
    expect((await auditOf('registration.read', id)).map(({ actor_id: actor, data: what }) => [actor, what])).toEqual([
      [administrator.userId, {}],
      [administrator.userId, { part: 'timeline' }],
    ]);
  });

  test('the timeline shows each step with its reason, a lapse too, and who must act', async () => {
    const id = await register(await makeEvent(), await licensed('Тарих'));
    const minute = (minutes: number) => new Date(Date.UTC(year, 3, 1, 0, minutes));
    await db
      .insertInto('registration_history')
      .values([
        {
          registrationId: id,
          at: minute(1),
          status: 'returned',
          actor: 'organizer',
          actorId: organizer.userId,
          reason: 'Сурет жоқ',
          requestId: 'a',
        },
        { registrationId: id, at: minute(5), status: 'submitted', actor: 'athlete', actorId: athlete.userId, reason: null, requestId: 'b' },
      ])
      .execute();
    await db
      .updateTable('registrations')
      .set({ ineligibleSince: minute(3) })
      .where('id', '=', id)
      .execute();
    const steps = athlete.expect(200, await athlete.get(`/event-registrations/${id}/timeline`)).body.data;
    expect(steps.map(({ step, actor, waiting_for: waitingFor }: Record<string, unknown>) => [step, actor, waitingFor])).toEqual([
      ['submitted', 'owner', null],
      ['returned', 'organizer', null],
      ['lapsed', 'system', null],
      ['submitted', 'owner', 'organizer'],
    ]);
    expect(steps[1].text).toContain('Сурет жоқ');
  });
});

describe("an event's registrations", () => {
  test('a hundred of an event of 365 days do not hold the event loop, and each reason is one span', async () => {
    const event = await makeEvent({ startsAt: new Date(`${year}-01-01T00:00:00+05:00`), endsAt: new Date(`${year}-12-31T23:59:59+05:00`) });
    const at = new Date(`${year}-01-01T00:00:00+05:00`);
    const athletes = await insertAthletes(
      db,
      Array.from({ length: 100 }, () => athlete.userId),
      at,
      { documentsExpireAt: `${year}-11-30` },
    );
    const lapsing = athletes.flatMap(({ profileId, applicationId }, index) =>
      ['01', '04', '07', '10'].map((month) => ({
        profileId,
        applicationId,
        expiresAt: `${year}-${month}-${String(1 + (index % 28)).padStart(2, '0')}`,
      })),
    );
    const { file_id: fileId } =
      (await api.sql<{ file_id: string }>('select file_id from documents where id = $1', [athletes[0]?.documentId]))[0] ?? {};
    const ids = await insertDocuments(
      db,
      lapsing.map(({ profileId, expiresAt }) => ({ profileId, fileId: String(fileId), type: 'medical', status: 'approved', expiresAt })),
      at,
    );
    await db
      .insertInto('application_documents')
      .values(lapsing.map(({ applicationId }, index) => ({ applicationId, documentId: ids[index] ?? 0 })))
      .execute();
    const rows = athletes.map(({ ownerId, profileId, applicationId }) => ({
      eventId: event.id,
      ownerId,
      profileId,
      applicationIds: [applicationId],
    }));
    await insertRegistrations(db, rows, at);
    const held: number[] = [];
    do {
      const turns = measureTurns();
      const { body, bytes } = organizer.expect(200, await organizer.get(`/events/${event.id}/registrations?limit=100`));
      held.push(Math.round(turns.stop()));
      expect(bytes.length).toBeLessThan(150_000);
      for (const { eligibility } of body.data) {
        expect(eligibility.reasons).toHaveLength(5);
        expect(eligibility.reasons.map(({ until_day: last }: { until_day?: string }) => last)).toEqual(Array(5).fill(`${year}-12-31`));
      }
      collectGarbage();
    } while (held.length < 15 && Math.min(...held) > 100);
    expect({ held, isShort: Math.min(...held) <= 100 }).toEqual({ held, isShort: true });
  });

  test('appear to its organizer with vehicles and crews, without drafts and scans, and to no other account (REG-8)', async () => {
    const event = await makeEvent();
    const on = await licensed('Жүргізуші');
    const mate = await licensed('Штурманов');
    const [co] = [await register(event, mate, { class: 'Жастар/ұл', status: 'approved', startNumber: '12' })];
    await register(event, mate, { status: 'draft' });
    await register(event, await licensed('Бас тартқан'), { status: 'withdrawn', columns: { submittedAt: null } });
    const id = await register(event, on, { vehicle: { brand: 'ВАЗ' }, crew: [{ role: 'Штурман', memberId: co }] });
    const path = `/events/${event.id}/registrations`;
    const { data, meta } = organizer.expect(200, await organizer.get(path)).body;
    expect(meta).toEqual({ total: 2, page: 1, limit: 20 });
    expect(data).toMatchObject([
      { id, name: 'Жүргізуші Ғалым', vehicle: { brand: 'ВАЗ' }, crew: [{ role: 'Штурман', registration_id: co }], status: 'submitted' },
      { id: co, name: 'Штурманов Ғалым', class: 'Жастар/ұл', status: 'approved', start_number: '12' },
    ]);
    expect(data[0].documents).toEqual([]);
    const list = async (query: Record<string, string>) => idsOf(await organizer.get(`${path}?${new URLSearchParams(query)}`));
    expect(await list({ class: 'Жастар/ұл' })).toEqual([co]);
    expect(await list({ status: 'submitted' })).toEqual([id]);
    expect(await list({ q: 'штурман' })).toEqual([co]);
    expect(await list({ q: '12' })).toContain(co);
    const [licence] = await api.sql<{ number: string }>('select number from certificates where application_id = $1', [on.id]);
    expect(await list({ q: licence?.number.slice(-6) ?? 'none' })).toEqual([id]);
    for (const q of ['галым ЖУРГ', 'Ғалым, Жүргізуші'.normalize('NFD'), `жургизуши ${licence?.number.toLowerCase()}`])
      expect(await list({ q })).toEqual([id]);
    expect(await list({ q: 'жүргізуші штурманов' })).toEqual([]);
    expect(await list({ q: '%' })).toEqual([]);
    expect(await list({ limit: '1', page: '2' })).toEqual([co]);
    expect(refusal(await organizer.get(`${path}?status=draft`))).toEqual([422, 'validation_failed']);

    expect(refusal(await athlete.get(path))).toEqual([404, 'not_found']);
    expect(idsOf(await administrator.get(path))).toEqual([id, co]);
    expect(await auditOf('event.read', event.id)).toEqual([{ actor_id: administrator.userId, data: { part: 'registrations' } }]);
  });
});

// REG-17
describe('the export', () => {
  const open = async ({ bytes }: Answer): Promise<Workbook> => {
    const book = new exceljs.Workbook();
    // The library's types describe an older Node.js.
    await book.xlsx.load(bytes as never);
    return book;
  };
  const rowsOf = (sheet: Worksheet | undefined) =>
    sheet?.getSheetValues().flatMap((row) => (Array.isArray(row) ? [row.slice(1)] : [])) ?? [];

  test('has a sheet for each class with approved registrations only, and the chosen columns in their order', async () => {
    const event = await makeEvent({ title: 'Ұлы дала / 2027', settings: { ...settings, classes: ['Жастар/ұл', 'Абсолют', 'Бос'] } });
    const mate = await licensed('Штурманов');
    const co = await register(event, mate, { class: 'Жастар/ұл', status: 'approved', startNumber: '08' });
    const hostile = await make.application(athlete, {
      status: 'approved',
      data: { team: '=HYPERLINK("http://evil")' },
      profile: { status: 'approved', data: { last_name: '@Қыран', first_name: '+Ұлан', birth_date: '1985-02-28' } },
    });
    const crew = [{ role: 'Штурман', memberId: co }];
    const vehicle = { brand: '=1+1', sold: 'no' };
    await register(event, hostile, { status: 'approved', startNumber: '-5', vehicle, crew });
    for (const status of ['submitted', 'returned', 'rejected', 'withdrawn', 'draft'] as const)
      await register(event, await licensed('Жоқ'), { status });
    await register(event, mate, { class: 'Ескі', status: 'approved' });

    const answer = organizer.expect(200, await organizer.get(`/events/${event.id}/registrations/export`, { 'accept-language': 'kk' }));
    expect(answer.headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const disposition = decodeURIComponent(answer.headers.get('content-disposition') ?? '');
    expect(disposition).toMatch(new RegExp(`^attachment; .*2027 ${year}-06-05\\.xlsx`));

    const book = await open(answer);
    expect(book.worksheets.map(({ name }) => name)).toEqual(['Жастар_ұл', 'Абсолют', 'Бос', 'Ескі']);
    const titles = ['Марка', 'Спортшы', 'Туған күні', 'Лицензия нөмірі', 'Экипаж', 'Старт нөмірі', 'Команда', 'Мәртебесі'];
    const number = expect.stringMatching(/^KZ-N-/);
    const born = new Date('1990-05-17T00:00:00Z');
    const mates = [undefined, 'Штурманов Ғалым', born, number, undefined];
    expect(book.worksheets.map(rowsOf)).toEqual([
      [titles, [...mates, '08', undefined, 'Мақұлданды']],
      [
        titles,
        [
          '=1+1',
          '@Қыран +Ұлан',
          new Date('1985-02-28T00:00:00Z'),
          number,
          'Штурман: Штурманов Ғалым',
          '-5',
          '=HYPERLINK("http://evil")',
          'Мақұлданды',
        ],
      ],
      [titles],
      [titles, [...mates, undefined, undefined, 'Мақұлданды']],
    ]);
    expect(await auditOf('registrations.exported', event.id)).toEqual([{ actor_id: organizer.userId, data: { count: 3 } }]);
  });

  test('reads more than one page of rows', async () => {
    const event = await makeEvent({ settings: { ...settings, columns: ['start_number'] } });
    const now = await api.platform.clock.now(db);
    const owner = { ownerId: athlete.userId, photoId: await make.file(athlete, 'photo'), status: 'approved' } as const;
    const profileIds = await insertProfiles(
      db,
      Array.from({ length: 250 }, () => owner),
      now,
    );
    const rows = profileIds.map((profileId, index) => ({
      eventId: event.id,
      ownerId: athlete.userId,
      profileId,
      class: `Класс ${Math.floor(index / 210)}`,
      status: 'approved' as const,
      startNumber: String(index),
    }));
    await insertRegistrations(db, rows, now);
    const book = await open(organizer.expect(200, await organizer.get(`/events/${event.id}/registrations/export?lang=en`)));
    const numbers = rows.map(({ startNumber }) => [Number(startNumber)]);
    const titles = ['Start number'];
    expect(book.worksheets.map((sheet) => [sheet.name, rowsOf(sheet)])).toEqual([
      ['Абсолют', [titles]],
      ['Жастар_ұл', [titles]],
      ['Класс 0', [titles, ...numbers.slice(0, 210)]],
      ['Класс 1', [titles, ...numbers.slice(210)]],
    ]);
  });

  test('is a valid file for an event without settings and registrations', async () => {
    const event = await makeEvent({ settings: null, status: 'draft' });
    const book = await open(organizer.expect(200, await organizer.get(`/events/${event.id}/registrations/export`)));
    expect(book.worksheets.map((sheet) => [sheet.name, rowsOf(sheet)])).toEqual([
      ['Регистрации', [['Стартовый номер', 'Спортсмен', 'Класс']]],
    ]);
  });

  test('is for the organizer and, audited, for administrators; limited an hour, without counting refusals', async () => {
    const host = await api.user();
    const event = await makeEvent({}, host);
    const path = `/events/${event.id}/registrations/export`;
    for (let more = 0; more < 7; more += 1) expect(refusal(await other.get(path))).toEqual([404, 'not_found']);
    const statuses = [];
    for (let more = 0; more < 7; more += 1) statuses.push((await host.get(path)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect((await host.get(path)).headers.get('retry-after')).toMatch(/^\d+$/);
    administrator.expect(200, await administrator.get(path));
    expect((await auditOf('event.read', event.id)).map(({ data }) => data)).toEqual([{ part: 'registrations/export' }]);
    expect((await auditOf('registrations.exported', event.id)).at(-1)).toEqual({ actor_id: administrator.userId, data: { count: 0 } });
    const own = await makeEvent({}, other);
    other.expect(200, await other.get(`/events/${own.id}/registrations/export`));
  });
});

test('the dossier shows and the summary counts each competition once', async () => {
  const person = await api.user();
  const on = await licensed('Досье', person);
  const [early, late] = [await makeEvent({ startsAt: new Date(`${year}-05-01T00:00:00Z`) }), await makeEvent()];
  const approved = await register(early, on, { ownerId: person.userId, status: 'approved', startNumber: '3' });
  const second = await register(early, on, { ownerId: person.userId, class: 'Жастар/ұл' });
  for (const status of ['draft', 'withdrawn', 'rejected'] as const)
    await register(await makeEvent(), on, { ownerId: person.userId, status });
  await register(await makeEvent({ status: 'cancelled' }), on, { ownerId: person.userId, status: 'approved' });
  const at = await api.platform.clock.now(db);
  const took = {
    applicationId: on.id,
    profileId: on.profileId,
    name: 'Досье Ғалым',
    certificateNumber: 'KZ-N',
    createdAt: at,
    updatedAt: at,
  };
  await db
    .insertInto('participants')
    .values([early, late].map(({ id: eventId }) => ({ ...took, eventId, resultStatus: 'finished' as const, place: 1, result: '1:02' })))
    .execute();
  const { data } = person.expect(200, await person.get(`/profiles/${on.profileId}/portfolio`)).body;
  const result = { application_id: on.id, class: null, start_number: null, result_status: 'finished', place: 1, result: '1:02' };
  expect(data.participation).toMatchObject([
    { event_id: late.id, registrations: [], results: [result] },
    {
      event_id: early.id,
      registrations: [
        { registration_id: approved, class: 'Абсолют', status: 'approved', start_number: '3' },
        { registration_id: second, class: 'Жастар/ұл', status: 'submitted', start_number: null },
      ],
      results: [result],
    },
  ]);
  const [summary] = person.expect(200, await person.get('/profiles/summary')).body.data;
  expect(summary.counters.competitions).toBe(2);
});
