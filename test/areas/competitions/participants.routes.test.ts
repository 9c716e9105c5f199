import { lockEvent } from '../../../src/areas/competitions/events/queries.ts';
import { participationsOf, publicResults } from '../../../src/areas/competitions/participants/queries.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import { certificateFixtures } from '../../support/factories/certificates.ts';
import { eventFixtures, type EventOptions } from '../../support/factories/events.ts';
import { waitForLock } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, owner: organizer, administrator, audit } = await useRegistry();
const certificate = certificateFixtures(api.platform);

/** Far from New Year, when certificates end. */
const year = new Date().getFullYear() + 1;
const [firstDay, secondDay] = [`${year}-06-05`, `${year}-06-06`];
const at = (day: string, time = '10:00') => new Date(`${day}T${time}:00+05:00`);

beforeAll(async () => {
  await api.travelTo(at(`${year}-06-01`).toISOString());
});

async function event(options: EventOptions = {}): Promise<number> {
  const days = { startsAt: at(firstDay), endsAt: at(secondDay, '18:00') };
  return (await eventFixtures(api.platform).event(organizer, { ...days, agreementFlow: 1, ...options })).id;
}

const path = (eventId: number) => `/events/${eventId}/participants`;
const add = (eventId: number, body: Record<string, unknown>) => organizer.post(path(eventId), body);

const auditOf = async (eventId: number) =>
  (await audit('event', eventId))
    .filter(({ action }) => action.startsWith('event.participant'))
    .map(({ action, actor_id, data }) => ({ action, actor_id, data }));

// EVT-12, EVT-20
test('adds by number, code or link, and copies name and number from the certificate', async () => {
  const eventId = await event();
  const [first, second, third] = [await certificate(), await certificate(), await certificate()];
  await api.sql("update profiles set name = 'Renamed' where id = (select profile_id from applications where id = $1)", [
    first.applicationId,
  ]);
  const fields = { category: 'Абсолют', start_number: 17, result_status: 'finished', place: 2, result: '1:24:05.3' };
  const added = organizer.expect(201, await add(eventId, { certificate: ` ${first.number.toLowerCase()} `, ...fields }));
  expect(added.headers.get('location')).toBe(`/api/v1${path(eventId)}`);
  expect(added.body.data).toEqual({
    application_id: first.applicationId,
    event_id: eventId,
    profile_id: first.profileId,
    name: first.name,
    certificate_number: first.number,
    ...fields,
    start_number: '17',
    eligibility: { ok: true, reasons: [], past: [] },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const registered = organizer.expect(201, await add(eventId, { certificate: second.token })).body.data;
  expect(registered).toMatchObject({ category: null, start_number: null, result_status: 'registered', place: null, result: null });
  organizer.expect(201, await add(eventId, { certificate: `${api.url}/v/${third.token}?lang=kk#${'0oRDoQEn'.repeat(60)}`, place: 1 }));

  const list = organizer.expect(200, await organizer.get(`${path(eventId)}?limit=2`)).body;
  expect(list.data.map((row: { application_id: number }) => row.application_id)).toEqual([third.applicationId, first.applicationId]);
  expect(list.meta).toEqual({ total: 3, page: 1, limit: 2 });
  expect(await auditOf(eventId)).toEqual(
    [first, second, third].map(({ applicationId }) => ({
      action: 'event.participant_added',
      actor_id: organizer.userId,
      data: { application_id: applicationId },
    })),
  );
});

test('refuses a link to another host, an unknown certificate or another kind, and invalid fields (EVT-12)', async () => {
  const eventId = await event();
  const { token } = await certificate();
  const problems = async (body: Record<string, unknown>) => {
    const answer = organizer.expect(422, await add(eventId, body));
    return answer.body.error.details.fields.map((field: { path: string; code: string }) => `${field.path} ${field.code}`).toSorted();
  };
  expect(await problems({ certificate: `https://evil.example/v/${token}` })).toEqual(['body.certificate foreign_link']);
  expect(await problems({ certificate: `${api.url}/a/${token}` })).toEqual(['body.certificate no_certificate_link']);
  expect(
    await problems({
      certificate: `https://evil.example/v/${token}`,
      place: 0,
      start_number: 1.5,
      result_status: 'won',
      category: '',
      extra: true,
    }),
  ).toEqual([
    'body.category too_small',
    'body.extra unknown_field',
    'body.place too_small',
    'body.result_status invalid_value',
    expect.stringMatching(/^body\.start_number /),
  ]);
  for (const unknown of ['KZ-N-2020-999999', 'unknown', 'A'.repeat(43), `${api.url}/v/${'A'.repeat(43)}`])
    expect((await add(eventId, { certificate: unknown })).body.error.code).toBe('not_found');
  const card = await certificate({ serviceId: 20 });
  expect(await problems({ certificate: card.number })).toEqual(['body.certificate wrong_kind']);
  expect(await auditOf(eventId)).toEqual([]);
});

test('requires a valid certificate of its discipline on every day of the event (EVT-12)', async () => {
  const eventId = await event();
  const lapsing = await certificate({ medical: { expiresAt: firstDay } });
  const refused = await add(eventId, { certificate: lapsing.number });
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.objectContaining({ code: 'certificate_not_valid', details: { state: 'under_correction', day: secondDay } }),
  ]);
  const ofAnother = await certificate();
  await api.sql('update applications set discipline_id = 2 where id = $1', [ofAnother.applicationId]);
  expect((await add(eventId, { certificate: ofAnother.number })).body.error).toMatchObject({
    code: 'licence_not_fitting',
    details: { discipline_id: 2 },
  });

  // A certificate of this year for a day of the next.
  const acrossNewYear = await event({ startsAt: at(`${year}-12-31`), endsAt: at(`${year + 1}-01-01`) });
  const standing = await certificate();
  expect((await add(acrossNewYear, { certificate: standing.number })).body.error.details).toEqual({
    state: 'expired',
    day: `${year + 1}-01-01`,
  });

  // A certificate of the profile for the next year covers that day, unless it is of another discipline.
  const next = await certificate();
  const dated = (disciplineId: number | null) =>
    api.sql(
      `with moved as (update certificates set valid_from = '${year + 1}-01-01', valid_until = '${year + 1}-12-31' where application_id = $1)
       update applications set profile_id = $4, year = $2, discipline_id = $3 where id = $1`,
      [next.applicationId, year + 1, disciplineId, standing.profileId],
    );
  await dated(2);
  expect((await add(acrossNewYear, { certificate: standing.number })).status).toBe(409);
  await dated(null);
  expect((await add(acrossNewYear, { certificate: standing.number })).status).toBe(201);
});

test('adds one of two parallel entries and refuses the other (EVT-13)', async () => {
  const eventId = await event();
  const { number, token, applicationId } = await certificate();
  const answers = await Promise.all([add(eventId, { certificate: number }), add(eventId, { certificate: token })]);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('duplicate_participant');
  expect((await add(eventId, { certificate: number })).body.error.code).toBe('duplicate_participant');
  expect(await auditOf(eventId)).toHaveLength(1);
  // The rule holds for each event, and a removed certificate may be entered again.
  organizer.expect(201, await add(await event(), { certificate: number }));
  organizer.expect(200, await organizer.delete(`${path(eventId)}/${applicationId}`));
  organizer.expect(201, await add(eventId, { certificate: number }));
});

test('changes and clears results and removes participants; the audit names the changed fields', async () => {
  const eventId = await event();
  const { number, applicationId } = await certificate();
  organizer.expect(201, await add(eventId, { certificate: number, category: 'Юниор', place: 3 }));
  const one = `${path(eventId)}/${applicationId}`;
  const changed = organizer.expect(
    200,
    await organizer.patch(one, { place: 1, result_status: 'finished', category: 'Юниор', start_number: '7A' }),
  );
  expect(changed.body.data).toMatchObject({ place: 1, result_status: 'finished', category: 'Юниор', start_number: '7A' });
  organizer.expect(200, await organizer.patch(one, { place: 1 }));
  organizer.expect(200, await organizer.patch(one, {}));
  expect(organizer.expect(200, await organizer.patch(one, { place: null, category: null })).body.data).toMatchObject({
    place: null,
    category: null,
  });
  expect((await organizer.patch(one, { result_status: null, certificate: number })).body.error.details.fields).toHaveLength(2);
  organizer.expect(200, await organizer.delete(one));
  expect([(await organizer.delete(one)).status, (await organizer.patch(one, { place: 1 })).status]).toEqual([404, 404]);
  const auditRow = (action: string, changes?: string[]) => ({
    action: `event.participant_${action}`,
    actor_id: organizer.userId,
    data: { application_id: applicationId, ...(changes === undefined ? {} : { changed: changes }) },
  });
  expect(await auditOf(eventId)).toEqual([
    auditRow('added'),
    auditRow('changed', ['start_number', 'result_status', 'place']),
    auditRow('changed', ['category', 'place']),
    auditRow('removed'),
  ]);
});

// EVT-7, EVT-12
test('the list is closed before publication and while results are under review, and reopens on their return', async () => {
  const { number, applicationId } = await certificate();
  for (const status of ['draft', 'in_progress', 'completed', 'cancelled'] as const) {
    const refused = await add(await event({ status }), { certificate: number });
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'participants_closed', details: { status } }]);
  }
  // The event ended at 09:30.
  const today = at(`${year}-06-01`, '09:00');
  const eventId = await event({
    startsAt: today,
    endsAt: at(`${year}-06-01`, '09:30'),
    stages: { regulations: 'approved', results: 'open' },
  });
  const submit = async () => organizer.post(`/events/${eventId}/submit`, { stage: 'results' });
  const protocol = await make.file(organizer, 'scan');
  organizer.expect(200, await organizer.patch(`/events/${eventId}`, { stage: 'results', files: { results: protocol } }));
  expect((await submit()).body.error.details.fields).toEqual([expect.objectContaining({ path: 'participants' })]);
  organizer.expect(201, await add(eventId, { certificate: number }));
  organizer.expect(200, await submit());

  const one = `${path(eventId)}/${applicationId}`;
  const second = await certificate();
  const answers = [
    await add(eventId, { certificate: second.number }),
    await organizer.patch(one, { place: 1 }),
    await organizer.delete(one),
  ];
  expect(answers.map(({ body }) => body.error)).toEqual(
    answers.map(() => expect.objectContaining({ code: 'participants_closed', details: { status: 'published', results: 'submitted' } })),
  );
  const decision = { kind: 'event_stage', id: eventId, stage: 'results', decision: 'changes', note: 'the places are missing' };
  administrator.expect(200, await administrator.post('/admin/review', decision));
  organizer.expect(200, await organizer.patch(one, { place: 1 }));
  organizer.expect(201, await add(eventId, { certificate: second.number, place: 2 }));
});

test('refuses an entry while the results are being submitted (EVT-7)', async () => {
  const eventId = await event();
  const { number } = await certificate();
  let answer: ReturnType<typeof add> | undefined;
  const caller = { actor: { kind: 'process' }, requestId: 'req-closing', ip: null } as const;
  await commit(api.platform, caller, async (ctx) => {
    const { stages } = await lockEvent(ctx, eventId);
    // The request waits for the event's row lock until this transaction commits.
    answer = add(eventId, { certificate: number });
    await waitForLock(api);
    stages.results.status = 'submitted';
  });
  expect((await answer)?.body.error.code).toBe('participants_closed');
});

test('an administrator reads the list, which is audited', async () => {
  const eventId = await event();
  administrator.expect(200, await administrator.get(path(eventId)));
  const read = (await audit('event', eventId)).filter(({ action }) => action === 'event.read');
  expect(read).toMatchObject([{ actor_id: administrator.userId, data: { part: 'participants' } }]);
});

test('lists results by class, place and start number, and the events of each athlete', async () => {
  const eventId = await event();
  const lines = [
    { category: 'Юниор', place: 2, start_number: '3' },
    { category: 'Абсолют', start_number: '10', result_status: 'dnf' },
    { category: 'Абсолют', start_number: '9', result_status: 'dns' },
    { category: 'Абсолют', place: 1, start_number: '101', result: '58:12' },
    { category: 'Юниор', place: 1, start_number: '12' },
    { start_number: '1' },
  ];
  let last = 0;
  for (const line of lines) {
    const { number } = await certificate();
    last = organizer.expect(201, await add(eventId, { certificate: number, ...line })).body.data.profile_id;
  }
  const results = await query(api.platform, (db) => publicResults(db, eventId));
  expect(results.map((row) => `${row.class} ${row.place} ${row.start_number}`)).toEqual([
    'Абсолют 1 101',
    'Абсолют null 9',
    'Абсолют null 10',
    'Юниор 1 12',
    'Юниор 2 3',
    'null null 1',
  ]);
  expect(results[0]).toEqual({
    place: 1,
    start_number: '101',
    class: 'Абсолют',
    name: expect.any(String),
    result: '58:12',
    result_status: 'registered',
  });
  const participations = () => query(api.platform, (db) => participationsOf(db, [last]));
  expect(await participations()).toEqual([expect.objectContaining({ profileId: last, eventId, title: 'Алатау ралли', startNumber: '1' })]);
  await api.sql("update events set status = 'cancelled' where id = $1", [eventId]);
  expect(await participations()).toEqual([]);
});

const eligibilities = async (eventId: number) =>
  new Map<number, unknown>(
    organizer
      .expect(200, await organizer.get(path(eventId)))
      .body.data.map((row: { application_id: number; eligibility: unknown }) => [row.application_id, row.eligibility]),
  );
const annul = (applicationId: number, instant: Date) =>
  api.sql("update applications set status = 'cancelled', cancelled_at = $2, updated_at = $2 where id = $1", [applicationId, instant]);

// The clock only moves forwards. EVT-12, EVT-21
test('judges the participants again at each read, and the results review shows who is not valid', async () => {
  const eventId = await event({ stages: { regulations: 'approved', results: 'open' } });
  const [standing, annulledBefore, annulledDuring, annulledAfter] = [
    await certificate(),
    await certificate(),
    await certificate(),
    await certificate(),
  ];
  const all = [standing, annulledBefore, annulledDuring, annulledAfter];
  for (const { number } of all) organizer.expect(201, await add(eventId, { certificate: number, place: 1 }));
  await annul(annulledBefore.applicationId, at(`${year}-06-02`));
  const annulledOn = (day: string, until?: string) => ({
    code: 'licence_annulled',
    day,
    ...(until === undefined ? {} : { until_day: until }),
  });
  expect((await eligibilities(eventId)).get(annulledBefore.applicationId)).toEqual({
    ok: false,
    reasons: [annulledOn(firstDay, secondDay)],
    past: [],
  });
  await api.travelTo(at(secondDay, '09:00').toISOString());
  await annul(annulledDuring.applicationId, at(secondDay, '09:30'));
  expect((await eligibilities(eventId)).get(annulledDuring.applicationId)).toEqual({
    ok: false,
    reasons: [annulledOn(secondDay)],
    past: [],
  });
  expect((await eligibilities(eventId)).get(annulledBefore.applicationId)).toEqual({
    ok: false,
    reasons: [annulledOn(secondDay)],
    past: [annulledOn(firstDay)],
  });

  await api.travelTo(at(`${year}-06-08`).toISOString());
  await annul(annulledAfter.applicationId, at(`${year}-06-08`));
  const after = await eligibilities(eventId);
  const ended = (...past: unknown[]) => ({ ok: true, reasons: [], past });
  expect(all.map(({ applicationId }) => after.get(applicationId))).toEqual([
    ended(),
    ended(annulledOn(firstDay, secondDay)),
    ended(annulledOn(secondDay)),
    ended(),
  ]);

  const clean = await event({
    startsAt: at(secondDay),
    endsAt: at(secondDay, '18:00'),
    stages: { regulations: 'approved', results: 'open' },
  });
  organizer.expect(201, await add(clean, { certificate: standing.number }));
  for (const id of [eventId, clean]) {
    const protocol = await make.file(organizer, 'scan');
    organizer.expect(200, await organizer.patch(`/events/${id}`, { stage: 'results', files: { results: protocol } }));
    organizer.expect(200, await organizer.post(`/events/${id}/submit`, { stage: 'results' }));
  }
  const queue = administrator.expect(200, await administrator.get('/admin/queue?kind=event_stage&limit=100')).body.data;
  const flagsOf = (id: number) => queue.find((item: { id: number }) => item.id === id)?.flags;
  expect([flagsOf(eventId), flagsOf(clean)]).toEqual([['participants_not_valid'], []]);
  const seen = async (id: number) => administrator.expect(200, await administrator.get(`/events/${id}`)).body.data.stages.results.flags;
  expect([await seen(eventId), await seen(clean)]).toEqual([['participants_not_valid'], []]);
  expect(organizer.expect(200, await organizer.get(`/events/${eventId}`)).body.data.stages.results.flags).toBeUndefined();
  // The flag refuses nothing.
  const approval = { kind: 'event_stage', id: eventId, stage: 'results', decision: 'approve' };
  administrator.expect(200, await administrator.post('/admin/review', approval));
});
