import type { TestClient } from '../../support/client.ts';
import { organizerSteps, requests } from '../../support/factories/event-steps.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();
const rows = eventFixtures(api.platform);
const steps = organizerSteps(api);

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

const refusal = (status: number, code: string, details?: unknown) => ({
  status,
  body: { error: { code, ...(details === undefined ? {} : { details }) } },
});
const fieldsOf = (answer: { body: { error: { details: { fields: { path: string; code: string }[] } } } }) =>
  answer.body.error.details.fields.map(({ path, code }) => `${path} ${code}`).toSorted();

/** A new organizer with an approved profile. */
async function organizer() {
  const owner = await api.user();
  return { owner, profileId: await rows.organizer(owner) };
}

/** Audited actions on an event, without readings. */
const actionsOf = async (id: number) => (await audit('event', id)).map(({ action }) => action).filter((action) => action !== 'event.read');

async function notificationsOf(owner: TestClient): Promise<string[]> {
  const rows = await api.sql<{ type: string }>('select type from notifications where user_id = $1 order by id', [owner.userId]);
  return rows.map(({ type }) => type);
}

describe('POST /events', () => {
  test('creates a draft with an open agreement stage, a process and an audit row', async () => {
    const { owner, profileId } = await organizer();
    const body = requests.event(profileId, {
      starts_at: '2027-06-05T09:00:00',
      ends_at: '2027-06-06T18:00:00+05:00',
      reserve_at: '2027-06-07',
    });
    const answer = owner.expect(201, await owner.post('/events', body));
    const { id } = answer.body.data;
    const locked = { status: 'locked', submitted_at: null, review_note: null, file_id: null };
    expect(answer.headers.get('location')).toBe(`/api/v1/events/${id}`);
    expect(answer.body.data).toMatchObject({
      profile_id: profileId,
      service_id: 30,
      discipline_id: 1,
      title: body.title,
      location: body.location,
      starts_at: '2027-06-05T09:00:00+05:00',
      ends_at: '2027-06-06T18:00:00+05:00',
      reserve_at: '2027-06-07T23:59:59+05:00',
      status: 'draft',
      workflow_version: 3,
      application_id: null,
      fee: null,
      stages: {
        agreement: { ...locked, status: 'open', deadline: '2027-04-21T09:00:00+05:00' },
        details: { ...locked, deadline: '2027-05-06T09:00:00+05:00' },
        regulations: { ...locked, deadline: '2027-05-22T09:00:00+05:00' },
        results: { ...locked, deadline: '2027-06-13T18:00:00+05:00' },
      },
    });
    const { request_id } = answer.body;
    const created = { action: 'event.created', actor_id: owner.userId, request_id, ip: expect.any(String) };
    expect(await audit('event', id)).toMatchObject([created]);
    expect(owner.expect(200, await owner.get('/events')).body).toMatchObject({ data: [{ id }], meta: { total: 1 } });
    expect(owner.expect(200, await owner.get(`/events/${id}`)).body.data).not.toHaveProperty('process');
    const seen = administrator.expect(200, await administrator.get(`/events/${id}`)).body.data;
    expect(seen.process).toMatchObject({ workflow_id: `event/${id}`, waiting_for: 'owner', next_timer_at: '2027-04-14T09:00:00+05:00' });
    expect((await audit('event', id)).slice(1)).toMatchObject([{ action: 'event.read', actor_id: administrator.userId }]);
  });

  test('requires the caller’s own approved organizer profile (EVT-1)', async () => {
    const { owner, profileId } = await organizer();
    const other = await api.user();
    expect(await other.post('/events', requests.event(profileId))).toMatchObject(refusal(404, 'not_found'));
    await api.sql("update profiles set status = 'pending' where id = $1", [profileId]);
    expect(await owner.post('/events', requests.event(profileId))).toMatchObject(refusal(409, 'profile_not_approved'));
    const athleteId = await make.profile(owner);
    expect(fieldsOf(await owner.post('/events', requests.event(athleteId)))).toEqual(['body.profile_id wrong_kind']);
  });

  test('reports all problems of the shape, then all of its dates and its fee (API-2, EVT-15)', async () => {
    const { owner, profileId } = await organizer();
    const wrong = requests.event(profileId, {
      service_id: 1,
      starts_at: '2027-06-05',
      ends_at: '2027-06-04',
      reserve_at: '2027-06-03',
    });
    const misshapen = await owner.post('/events', { ...wrong, title: '', colour: 'red' });
    expect(fieldsOf(misshapen)).toEqual(['body.colour unknown_field', 'body.title too_small']);
    const answer = await owner.post('/events', wrong);
    expect(answer.status).toBe(422);
    expect(fieldsOf(answer)).toEqual(['body.ends_at out_of_range', 'body.reserve_at out_of_range', 'body.service_id not_found']);
    expect(fieldsOf(await owner.post('/events', requests.event(profileId, { discipline_id: 99 })))).toEqual([
      'body.discipline_id not_found',
    ]);
  });
});

// API-4, EVT-14
test('a one-day event given as bare days lasts until the end of that day, like its intake', async () => {
  const { owner, profileId } = await organizer();
  const day = '2027-06-05';
  const id = await steps.open(owner, profileId, { starts_at: day, ends_at: day, reserve_at: day });
  const end = `${day}T23:59:59+05:00`;
  const read = await steps.read(owner, id);
  expect(read).toMatchObject({ starts_at: `${day}T00:00:00+05:00`, ends_at: end, reserve_at: end });
  const body = { opens_at: '2027-05-01', closes_at: day, classes: ['Абсолют'] };
  const set = owner.expect(200, await owner.put(`/events/${id}/registration-settings`, body)).body.data;
  expect(set).toMatchObject({ opens_at: '2027-05-01T00:00:00+05:00', closes_at: end });
  // A bare closing day is accepted for an event that ends that afternoon; the intake closes with the event.
  const afternoon = await steps.open(owner, profileId, { starts_at: `${day}T09:00`, ends_at: `${day}T18:00`, reserve_at: null });
  const closing = owner.expect(200, await owner.put(`/events/${afternoon}/registration-settings`, body)).body.data.closes_at;
  expect(closing).toBe(`${day}T18:00:00+05:00`);
  // The response's dates are a valid request.
  const dates = { starts_at: read.starts_at, ends_at: read.ends_at };
  expect((await owner.patch(`/events/${id}`, dates)).body.data).toMatchObject(dates);
  expect(fieldsOf(await owner.patch(`/events/${id}`, { starts_at: '0000-06-05', ends_at: '2200-01-01' }))).toEqual([
    'body.ends_at custom',
    'body.starts_at custom',
  ]);
});

describe('the stages of an event', () => {
  test('lead from the draft through the fee to the published results, and appear in the timeline (EVT-2, EVT-4, EVT-7)', async () => {
    const { owner, profileId } = await organizer();
    const athlete = await api.user();
    const { id: certificate, profileId: athleteProfile } = await make.application(athlete, { status: 'approved' });
    const id = await steps.open(owner, profileId);
    expect(await steps.submit(owner, id, 'details')).toMatchObject(refusal(409, 'stage_not_open', { stage: 'details', status: 'locked' }));
    await steps.settle(id);
    expect(await steps.read(owner, id)).toMatchObject({
      status: 'in_progress',
      stages: { agreement: { status: 'approved' }, details: { status: 'open' } },
    });

    const submitted = owner.expect(200, await steps.submit(owner, id, 'details')).body.data;
    expect(submitted).toMatchObject({ stages: { details: { status: 'submitted' } }, fee: { status: 'submitted', paid: false } });
    const applicationId = submitted.application_id;
    expect(await administrator.post('/admin/review', requests.review(id, 'details'))).toMatchObject(
      refusal(409, 'fee_unpaid', { application_id: applicationId }),
    );
    const waiting = async () => administrator.expect(200, await administrator.get('/admin/queue?kind=event_stage')).body.data;
    expect((await waiting()).map((item: { id: number }) => item.id)).not.toContain(id);
    await steps.payFee(owner, id);
    expect(await waiting()).toContainEqual(
      expect.objectContaining({
        kind: 'event_stage',
        id,
        status: 'submitted',
        title: 'details: Алатау ралли',
        event_id: id,
        stage: 'details',
      }),
    );
    const reviewed = await administrator.post('/admin/review', requests.review(id, 'details'));
    expect(administrator.expect(200, reviewed).body.data).toMatchObject({
      kind: 'event_stage',
      id,
      stage: 'details',
      status: 'approved',
      review_note: null,
    });
    expect(await steps.read(owner, id)).toMatchObject({ status: 'published', published_at: expect.any(String) });

    expect(fieldsOf(await steps.submit(owner, id, 'regulations'))).toEqual(['files.regulations required']);
    const fileId = await steps.attach(owner, id, 'regulations');
    owner.expect(200, await steps.submit(owner, id, 'regulations'));
    await steps.approve(id, 'regulations');
    expect(await steps.read(owner, id)).toMatchObject({
      stages: { regulations: { status: 'approved', file_id: fileId }, results: { status: 'open' } },
    });

    // Results wait for the end, a PDF and a participant.
    expect(await steps.submit(owner, id, 'results')).toMatchObject(refusal(409, 'stage_not_open'));
    const before = inDays(-1);
    await api.sql('update events set starts_at = $2, ends_at = $2 where id = $1', [id, before]);
    expect(fieldsOf(await steps.submit(owner, id, 'results'))).toEqual(['files.results required', 'participants required']);
    await steps.attach(owner, id, 'results');
    await api.sql(
      "insert into participants (event_id, application_id, profile_id, name, certificate_number, created_at, updated_at) values ($1, $2, $3, 'x', 'y', now(), now())",
      [id, certificate, athleteProfile],
    );
    owner.expect(200, await steps.submit(owner, id, 'results'));
    await steps.approve(id, 'results');
    expect(await steps.read(owner, id)).toMatchObject({ status: 'completed', fee: { status: 'closed', paid: true } });

    const expected = [
      'event.created',
      'event.agreement_confirmed',
      'event.submitted',
      'event.approved',
      'event.file_attached',
      'event.submitted',
      'event.approved',
      'event.file_attached',
      'event.submitted',
      'event.approved',
    ];
    expect((await actionsOf(id)).filter((action) => action !== 'event.reminded')).toEqual(expected);
    const ofRegulations = (await audit('event', id)).filter(
      ({ action, data }) => data['stage'] === 'regulations' && !action.endsWith('reminded'),
    );
    expect([...new Set(ofRegulations.map(({ data }) => data['sha256']))]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    const timeline = owner.expect(200, await owner.get(`/events/${id}/timeline`)).body.data;
    const taken = timeline.filter(({ step }: { step: string }) => step !== 'reminded');
    expect(taken.map(({ step, actor }: { step: string; actor: string }) => `${actor} ${step}`)).toEqual([
      'owner created',
      'system agreement_confirmed',
      'owner submitted',
      'owner fee_paid',
      'administrator approved',
      'owner file_attached',
      'owner submitted',
      'administrator approved',
      'owner file_attached',
      'owner submitted',
      'administrator approved',
    ]);
    expect(timeline.at(-1).waiting_for).toBeNull();
    expect(await notificationsOf(owner)).toEqual(
      expect.arrayContaining(['event_stage.approved', 'event_stage.approved', 'event_stage.approved', 'event_stage.approved']),
    );
  });

  test('a decision is about the version of the stage that was read, and of a file that exists (REV-5, REV-6)', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId);
    await steps.publish(owner, id);
    const fileId = await steps.attach(owner, id, 'regulations');
    owner.expect(200, await steps.submit(owner, id, 'regulations'));
    const { stages } = await steps.read(administrator, id);
    const decide = (updated_at: string, decision = 'approve', note?: string) =>
      administrator.post('/admin/review', { ...requests.review(id, 'regulations', decision, note), updated_at });
    const returned = administrator.expect(200, await decide(stages.regulations.updated_at, 'changes', 'Page two is missing')).body.data;
    await steps.attach(owner, id, 'regulations');
    owner.expect(200, await steps.submit(owner, id, 'regulations'));
    const now = (await steps.read(administrator, id)).stages;
    for (const seen of [stages.regulations.updated_at, returned.updated_at])
      expect(await decide(seen)).toMatchObject(refusal(409, 'stale_revision', { updated_at: now.regulations.updated_at }));
    // Another stage has its own version.
    expect(now.details.updated_at).toBe(stages.details.updated_at);
    const [row] = administrator.expect(200, await administrator.get(`/admin/queue?kind=event_stage&q=${id}`)).body.data;
    expect(row).toMatchObject({ id, stage: 'regulations', updated_at: now.regulations.updated_at });

    // The file of a stage cannot be deleted; only a fault of the records leaves a stage without it.
    await api.sql('update files set deleted_at = now() where id in (select file_id from event_stages where event_id = $1)', [id]);
    expect(await decide(now.regulations.updated_at)).toMatchObject(refusal(409, 'file_missing'));
    await api.sql('update files set deleted_at = null where id in (select file_id from event_stages where event_id = $1)', [id]);
    administrator.expect(200, await decide(now.regulations.updated_at));
    expect(fileId).not.toBe((await steps.read(owner, id)).stages.regulations.file_id);
  });

  // EVT-4
  test('a returned stage keeps its note and is submitted again with the same fee; a repeated decision writes nothing', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId);
    await steps.settle(id);
    owner.expect(200, await steps.submit(owner, id, 'details'));
    const fee = await steps.payFee(owner, id);
    expect((await administrator.post('/admin/review', requests.review(id, 'details', 'changes'))).status).toBe(422);
    const back = requests.review(id, 'details', 'changes', 'The place cannot be found.');
    administrator.expect(200, await administrator.post('/admin/review', back));
    const [actions, notified] = [await actionsOf(id), await notificationsOf(owner)];
    expect(administrator.expect(200, await administrator.post('/admin/review', back)).body.data).toMatchObject({ status: 'changes' });
    expect([await actionsOf(id), await notificationsOf(owner)]).toEqual([actions, notified]);
    expect(await steps.read(owner, id)).toMatchObject({
      stages: { details: { status: 'changes', review_note: 'The place cannot be found.' } },
    });
    const queue = administrator.expect(200, await administrator.get('/admin/queue?kind=event_stage&status=changes')).body.data;
    expect(queue.map((item: { id: number }) => item.id)).toContain(id);

    owner.expect(200, await owner.patch(`/events/${id}`, { location: 'Шымбұлақ' }));
    const again = owner.expect(200, await steps.submit(owner, id, 'details')).body.data;
    expect(again).toMatchObject({
      application_id: fee,
      fee: { paid: true },
      stages: { details: { status: 'submitted', review_note: null } },
    });
    await steps.approve(id, 'details');
    expect(await administrator.post('/admin/review', back)).toMatchObject(refusal(409, 'invalid_state'));
    administrator.expect(200, await administrator.post('/admin/review', requests.review(id, 'details')));
    expect((await actionsOf(id)).filter((action) => action === 'event.approved')).toHaveLength(1);
  });

  test('a reopened agreement blocks later stages, which leave the queue and return to their place; a publication stays (EVT-3)', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId);
    await steps.settle(id);
    await steps.settle(id);
    owner.expect(200, await steps.submit(owner, id, 'details'));
    await steps.payFee(owner, id);
    const queued = async () => administrator.expect(200, await administrator.get(`/admin/queue?kind=event_stage&q=${id}`)).body.data;
    const [row] = await queued();
    expect(row).toMatchObject({ id, stage: 'details' });
    await steps.settle(id, false);
    expect(await queued()).toEqual([]);
    expect(await steps.read(owner, id)).toMatchObject({
      status: 'draft',
      stages: { agreement: { status: 'open' }, details: { status: 'submitted' } },
    });
    expect(await administrator.post('/admin/review', requests.review(id, 'details'))).toMatchObject(refusal(409, 'stage_not_open'));
    await steps.settle(id);
    expect(await queued()).toEqual([row]);
    await steps.approve(id, 'details');
    await steps.attach(owner, id, 'regulations');
    await steps.settle(id, false);
    expect(await steps.read(owner, id)).toMatchObject({ status: 'published', stages: { agreement: { status: 'open' } } });
    expect(await steps.submit(owner, id, 'regulations')).toMatchObject(refusal(409, 'stage_not_open'));
    await steps.settle(id);
    owner.expect(200, await steps.submit(owner, id, 'regulations'));
    expect((await actionsOf(id)).filter((action) => action.startsWith('event.agreement'))).toEqual([
      'event.agreement_confirmed',
      'event.agreement_reopened',
      'event.agreement_confirmed',
      'event.agreement_reopened',
      'event.agreement_confirmed',
    ]);
  });

  test('the earlier flow reviews a scan of the agreement; otherwise the contract decides (EVT-18)', async () => {
    const { owner, profileId } = await organizer();
    const { id } = await rows.event(owner, { profileId, status: 'draft', agreementFlow: 1 });
    await steps.attach(owner, id, 'agreement');
    expect(await steps.read(owner, id)).toMatchObject({ workflow_version: 1, stages: { agreement: { status: 'submitted' } } });
    await steps.settle(id);
    expect(await steps.read(owner, id)).toMatchObject({ stages: { agreement: { status: 'submitted' } } });
    await steps.approve(id, 'agreement');
    expect(await steps.read(owner, id)).toMatchObject({
      status: 'in_progress',
      stages: { agreement: { status: 'approved' }, details: { status: 'open' } },
    });

    const later = await steps.open(owner, profileId);
    const files = { agreement: await steps.pdf(owner) };
    expect(fieldsOf(await owner.patch(`/events/${later}`, { stage: 'agreement', files }))).toEqual(['body.files.agreement not_allowed']);
    expect((await steps.submit(owner, later, 'agreement')).status).toBe(422);
    await steps.settle(later);
    expect(await administrator.post('/admin/review', requests.review(later, 'agreement'))).toMatchObject(refusal(409, 'invalid_state'));
  });
});

describe('PATCH /events/{id}', () => {
  // EVT-5, EVT-15, EVT-16
  test('changes all fields before publication, and title, location and reserve day after it', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId);
    const change = { title: 'Тұран ралли', starts_at: inDays(100), ends_at: inDays(101), reserve_at: inDays(102), discipline_id: 2 };
    const changed = owner.expect(200, await owner.patch(`/events/${id}`, change)).body.data;
    expect(changed).toMatchObject({ title: 'Тұран ралли', discipline_id: 2 });
    expect((await audit('event', id)).at(-1)?.data).toEqual({ changed: ['title', 'startsAt', 'endsAt', 'reserveAt', 'disciplineId'] });
    expect(fieldsOf(await owner.patch(`/events/${id}`, { ends_at: inDays(99) }))).toEqual(['body.ends_at out_of_range']);
    await steps.settle(id);
    owner.expect(200, await steps.submit(owner, id, 'details'));
    expect(await owner.patch(`/events/${id}`, { title: 'Другое' })).toMatchObject(refusal(409, 'invalid_state'));
    await steps.payFee(owner, id);
    await steps.approve(id, 'details');

    const kept = { title: 'Сарыарқа ралли', location: 'Астана', reserve_at: null };
    expect(owner.expect(200, await owner.patch(`/events/${id}`, kept)).body.data).toMatchObject(kept);
    for (const fixed of [{ starts_at: inDays(99) }, { ends_at: inDays(120) }, { discipline_id: 1 }])
      expect(await owner.patch(`/events/${id}`, fixed)).toMatchObject(refusal(409, 'event_published'));
    // Unchanged values of fixed fields are accepted.
    owner.expect(200, await owner.patch(`/events/${id}`, { starts_at: (await steps.read(owner, id)).starts_at, discipline_id: 2 }));
  });

  test('attaches the owner’s PDF to an open stage and keeps it (EVT-19)', async () => {
    const { owner, profileId } = await organizer();
    const { id } = await rows.event(owner, { profileId });
    const photo = await make.file(owner, 'photo');
    const strangers = await make.file(await api.user(), 'scan');
    const put = (body: unknown) => owner.patch(`/events/${id}`, body);
    expect(fieldsOf(await put({ stage: 'regulations', files: { regulations: photo } }))).toEqual([
      'body.files.regulations wrong_file_type',
    ]);
    expect(fieldsOf(await put({ stage: 'regulations', files: { regulations: strangers } }))).toEqual([
      'body.files.regulations unknown_file',
    ]);
    expect(fieldsOf(await put({ stage: 'regulations' }))).toEqual(['body.files.regulations required']);
    expect(fieldsOf(await put({ files: { regulations: photo } }))).toEqual(['body.stage required']);
    expect(await put({ stage: 'results', files: { results: photo } })).toMatchObject(refusal(409, 'stage_not_open'));
    const fileId = await steps.attach(owner, id, 'regulations');
    expect(await owner.delete(`/files/${fileId}`)).toMatchObject(refusal(409, 'file_in_use'));
    owner.expect(200, await steps.submit(owner, id, 'regulations'));
    expect(await put({ stage: 'regulations', files: { regulations: fileId } })).toMatchObject(refusal(409, 'stage_not_open'));
  });
});

describe('POST /events/{id}/cancel', () => {
  const reason = 'There is no snow this winter.';

  test('the owner cancels before publication; stages lock and the fee closes (EVT-9, EVT-4)', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId);
    await steps.settle(id);
    owner.expect(200, await steps.submit(owner, id, 'details'));
    const cancelled = owner.expect(200, await owner.post(`/events/${id}/cancel`, { reason })).body.data;
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      cancel_reason: reason,
      fee: { status: 'closed', paid: false },
      stages: { agreement: { status: 'approved' }, details: { status: 'locked' } },
    });
    expect(await owner.post(`/applications/${cancelled.application_id}/pay`)).toMatchObject(refusal(409, 'invalid_state'));
    expect(await owner.post(`/events/${id}/cancel`, { reason })).toMatchObject(refusal(409, 'invalid_state'));
    expect(await steps.submit(owner, id, 'details')).toMatchObject(refusal(409, 'stage_not_open'));
    expect(await owner.patch(`/events/${id}`, { title: 'Другое' })).toMatchObject(refusal(409, 'invalid_state'));
    // The contract no longer changes a cancelled event.
    await steps.settle(id, false);
    expect(await steps.read(owner, id)).toMatchObject({ stages: { agreement: { status: 'approved' } } });
    expect((await owner.post(`/events/${id}/cancel`, { reason: 'no' })).status).toBe(422);
  });

  test('only an administrator cancels a published or completed event, also by a decision on a stage (EVT-9)', async () => {
    const { owner, profileId } = await organizer();
    const { id } = await rows.event(owner, { profileId });
    expect(await owner.post(`/events/${id}/cancel`, { reason })).toMatchObject(refusal(409, 'invalid_state'));
    administrator.expect(200, await administrator.post(`/events/${id}/cancel`, { reason }));
    expect(await steps.read(owner, id)).toMatchObject({ status: 'cancelled' });

    const { id: other } = await rows.event(owner, { profileId });
    await steps.attach(owner, other, 'regulations');
    owner.expect(200, await steps.submit(owner, other, 'regulations'));
    const decision = requests.review(other, 'regulations', 'cancel', 'The track is not safe.');
    expect(administrator.expect(200, await administrator.post('/admin/review', decision)).body.data.status).toBe('cancelled');
    administrator.expect(200, await administrator.post('/admin/review', decision));
    expect(await steps.read(owner, other)).toMatchObject({ status: 'cancelled', stages: { regulations: { status: 'locked' } } });
    expect((await actionsOf(other)).filter((action) => !action.startsWith('event.intake'))).toEqual([
      'event.file_attached',
      'event.submitted',
      'event.cancelled',
    ]);

    // The results of a completed event stay.
    const { id: over } = await rows.event(owner, { profileId, status: 'completed' });
    expect(await owner.post(`/events/${over}/cancel`, { reason })).toMatchObject(refusal(409, 'invalid_state'));
    const cancelled = administrator.expect(200, await administrator.post(`/events/${over}/cancel`, { reason })).body.data;
    expect(cancelled).toMatchObject({ status: 'cancelled', cancel_reason: reason, stages: { results: { status: 'approved' } } });
    expect(cancelled.completed_at).not.toBeNull();
    expect(await administrator.post(`/events/${over}/cancel`, { reason })).toMatchObject(refusal(409, 'invalid_state'));
  });
});

describe('the fee', () => {
  test('is read and paid like any application, and cannot be changed', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId);
    await steps.settle(id);
    const applicationId = owner.expect(200, await steps.submit(owner, id, 'details')).body.data.application_id;
    const shown = owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;
    expect(shown).toMatchObject({
      status: 'submitted',
      amount_minor: 12_975_000,
      number: null,
      readiness: { ready: false, waiting_for: 'owner' },
    });
    const readiness = owner.expect(200, await owner.get(`/applications/${applicationId}/readiness`)).body.data;
    expect(readiness.map(({ rule }: { rule: string }) => rule)).toEqual(['payment']);
    const refused = refusal(409, 'invalid_state');
    expect(await owner.post(`/applications/${applicationId}/submit`)).toMatchObject(refused);
    expect(await owner.post(`/applications/${applicationId}/cancel`, { reason: 'I will not pay.' })).toMatchObject(refused);
    expect(await owner.patch(`/applications/${applicationId}`, { data: { team: 'x' } })).toMatchObject(refused);
    expect(await owner.post(`/applications/${applicationId}/pay`)).toMatchObject(refusal(409, 'insufficient_funds'));
    for (const decision of ['changes', 'cancel']) {
      const body = { kind: 'application', id: applicationId, decision, revision: shown.revision, note: 'not like this' };
      expect(await administrator.post('/admin/review', body)).toMatchObject(refused);
    }
    await steps.payFee(owner, id);
    // A repeat charges nothing.
    owner.expect(200, await owner.post(`/applications/${applicationId}/pay`));
    const paid = owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;
    expect(paid).toMatchObject({
      status: 'approved',
      number: null,
      verification_token: null,
      paid: true,
      readiness: { ready: true, waiting_for: null },
    });
    // As in the list of processes: it waits for the end of its competition.
    const timeline = owner.expect(200, await owner.get(`/applications/${applicationId}/timeline`)).body.data;
    expect(timeline.at(-1)).toMatchObject({ step: 'approved', waiting_for: 'date' });
    expect(await owner.get(`/applications/${applicationId}/certificate`)).toMatchObject(refusal(409, 'certificate_not_issued'));
  });

  test('parallel submissions make one fee (EVT-4)', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId);
    await steps.settle(id);
    const answers = await Promise.all([1, 2, 3].map(() => steps.submit(owner, id, 'details')));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409']);
    const fees = await api.sql("select id from applications where profile_id = $1 and kind = 'event_fee'", [profileId]);
    expect(fees).toHaveLength(1);
  });
});

describe('registration settings', () => {
  const settings = {
    opens_at: '2027-01-10T00:00:00+05:00',
    closes_at: '2027-03-10T00:00:00+05:00',
    classes: ['Абсолют', 'Юниор'],
    crew: { roles: ['штурман'], min: 0, max: 1 },
    vehicle_fields: [{ code: 'model', title: 'Модель', required: true }],
    columns: ['start_number', 'name', 'vehicle.model'],
  };

  test('have defaults until they are set, and are answered as set', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId, { starts_at: '2027-06-05', ends_at: '2027-06-06' });
    const usual = owner.expect(200, await owner.get(`/events/${id}/registration-settings`)).body.data;
    expect(usual).toMatchObject({ opens_at: null, closes_at: '2027-06-05T00:00:00+05:00', classes: [] });
    const set = owner.expect(200, await owner.put(`/events/${id}/registration-settings`, settings)).body.data;
    const shown = { class_limits: expect.any(Array), available_columns: expect.arrayContaining(['team', 'vehicle.model']) };
    expect(set).toEqual({ ...settings, ...shown });
    expect(owner.expect(200, await owner.get(`/events/${id}/registration-settings`)).body.data).toEqual(set);
    const replaced = owner.expect(200, await owner.put(`/events/${id}/registration-settings`, { classes: ['Абсолют'] })).body.data;
    expect(replaced).toMatchObject({ opens_at: null, vehicle_fields: [], columns: ['start_number', 'name', 'class'] });
    expect(await actionsOf(id)).toContain('event.registration_settings_updated');
  });

  test('report all problems of the shape, then all of the dates (API-2, EVT-14)', async () => {
    const { owner, profileId } = await organizer();
    const id = await steps.open(owner, profileId, { starts_at: '2027-06-05', ends_at: '2027-06-06' });
    const wrong = { ...settings, opens_at: '2027-06-05', closes_at: '2027-06-07' };
    const misshapen = await owner.put(`/events/${id}/registration-settings`, { ...wrong, classes: [], columns: ['shoe_size'] });
    expect(fieldsOf(misshapen).map((field) => field.split(' ')[0])).toEqual(['body.classes', 'body.columns.0']);
    const answer = await owner.put(`/events/${id}/registration-settings`, wrong);
    expect(fieldsOf(answer)).toEqual(['body.closes_at out_of_range', 'body.opens_at out_of_range']);
    const { id: over } = await rows.event(owner, { profileId, status: 'completed' });
    expect(await owner.put(`/events/${over}/registration-settings`, { classes: ['Абсолют'] })).toMatchObject(refusal(409, 'invalid_state'));
  });
});

test('an unknown event is not found; a profile with an event cannot be deleted (EVT-19)', async () => {
  const { owner, profileId } = await organizer();
  const { id } = await rows.event(owner, { profileId });
  expect(await owner.get('/events/999999')).toMatchObject(refusal(404, 'not_found'));
  expect(await administrator.post('/admin/review', requests.review(999_999, 'details'))).toMatchObject(refusal(404, 'not_found'));
  await api.sql('update profiles set ever_approved = false where id = $1', [profileId]);
  expect(await owner.delete(`/profiles/${profileId}`)).toMatchObject(refusal(409, 'profile_in_use', { events: [id] }));
});
