import { reviewDocument } from '../../../src/areas/documents/review-document.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { yearOf } from '../../../src/platform/time/date-time.ts';
import type { TestClient } from '../../support/client.ts';
import type { ApplicationOptions, MadeApplication } from '../../support/factories.ts';
import { organizerSteps } from '../../support/factories/event-steps.ts';
import { eventFixtures, type EventOptions, type MadeEvent } from '../../support/factories/events.ts';
import { waitFor, waitForLock } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, make, administrator, audit } = await useRegistry();
const events = eventFixtures(api.platform);
const organizer = await api.user('Organizer');
/** The year of the tests' clock, set to its summer, so that no licence ends during the tests. */
const year = yearOf(new Date()) + 1;
const at = (day: string, time = '10:00') => new Date(`${year}-${day}T${time}:00+05:00`);

beforeAll(async () => {
  await api.travelTo(`${year}-06-01T12:00:00+05:00`);
});

/** A competition of two days in August, by the organizer of this file. */
const competition = (options: EventOptions = {}): Promise<MadeEvent> =>
  events.event(organizer, { startsAt: at('08-01'), endsAt: at('08-02', '18:00'), ...options });

interface AthleteWithLicence {
  client: TestClient;
  licence: MadeApplication;
}

async function athlete(options: ApplicationOptions = {}): Promise<AthleteWithLicence> {
  const client = await api.user();
  return { client, licence: await make.application(client, { status: 'approved', ...options }) };
}

const rowOf = ({ licence }: AthleteWithLicence, fields: Record<string, unknown> = {}) => ({
  profile_id: licence.profileId,
  application_id: licence.id,
  class: 'Юниор',
  ...fields,
});

async function send(client: TestClient, eventId: number, rows: unknown[], submit = true) {
  const answer = await client.post(`/events/${eventId}/registrations/batch`, { registrations: rows, submit });
  return client.expect(200, answer).body.data.results;
}

async function registered(person: AthleteWithLicence, eventId: number, fields: Record<string, unknown> = {}): Promise<number> {
  const [result] = await send(person.client, eventId, [rowOf(person, fields)]);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result.id;
}

const decide = (eventId: number, id: number, body: Record<string, unknown>, by = organizer) =>
  by.patch(`/events/${eventId}/registrations/${id}`, body);

const fieldsOf = (error: { details: { fields: { path: string; code: string }[] } }) =>
  error.details.fields.map(({ path, code }) => `${path} ${code}`);

const actionsOf = async (id: number) => (await audit('registration', id)).map(({ action }) => action);

const notificationsOf = (id: number) =>
  api
    .sql<{ type: string; user_id: number }>(
      "select type, user_id from notifications where subject_kind = 'registration' and subject_id = $1 order by id",
      [String(id)],
    )
    .then((rows) => rows.map(({ type, user_id: userId }) => `${type} to ${userId}`));

const review = async (id: number, decision: 'approve' | 'changes') => {
  const body = { kind: 'document', id, decision, ...(decision === 'approve' ? {} : { note: 'it is cut off' }) };
  administrator.expect(200, await administrator.post('/admin/review', body));
};

describe('a batch', () => {
  test('submits a registration with its snapshot (REG-10), history, audit and process', async () => {
    const person = await athlete();
    const { id: eventId } = await competition();
    const id = await registered(person, eventId);
    expect(await actionsOf(id)).toEqual(['registration.submitted']);
    const rows = await api.sql<{ status: string; actor: string }>(
      'select status, actor from registration_history where registration_id = $1',
      [id],
    );
    expect(rows).toEqual([{ status: 'submitted', actor: 'athlete' }]);
    const documents = await api.sql<{ document_id: number }>(
      'select document_id from registration_documents where registration_id = $1 order by document_id',
      [id],
    );
    expect(documents.map(({ document_id: documentId }) => documentId)).toEqual(person.licence.documentIds);
    const described = await waitFor(
      () => api.platform.processes.describe(`registration/${id}`),
      (seen) => seen?.status === 'running',
      'the process of the registration',
    );
    expect(described?.waiting_for).toBe('organizer');
  });

  test('saves an incomplete draft that the organizer never sees; the row with its id submits it (REG-8, REG-13)', async () => {
    const person = await athlete();
    const { id: eventId } = await competition({
      settings: { vehicleFields: [{ code: 'plate', title: 'Plate', required: true }], crew: { roles: ['co-driver'], min: 0, max: 1 } },
    });
    const [saved] = await send(person.client, eventId, [{ profile_id: person.licence.profileId, class: 'Юниор' }], false);
    expect(saved).toEqual({ index: 0, ok: true, id: expect.any(Number) });
    // A saved row with equal values changes nothing.
    const read = async () => person.client.expect(200, await person.client.get(`/event-registrations/${saved.id}`)).body.data;
    const before = await read();
    await send(person.client, eventId, [{ id: saved.id, profile_id: person.licence.profileId, class: 'Юниор' }], false);
    expect([await read(), await actionsOf(saved.id)]).toEqual([before, ['registration.created']]);
    expect((await decide(eventId, saved.id, { decision: 'approve' })).status).toBe(404);
    const [refused] = await send(person.client, eventId, [{ id: saved.id, profile_id: person.licence.profileId, class: 'Юниор' }]);
    expect(fieldsOf(refused.error)).toEqual([
      'body.registrations.0.vehicle.plate required',
      'body.registrations.0.application_id required',
    ]);
    const whole = rowOf(person, { id: saved.id, vehicle: { plate: '777 AAA 02' }, class: 'Абсолют' });
    expect(await send(person.client, eventId, [whole])).toEqual([{ index: 0, ok: true, id: saved.id }]);
    expect(await actionsOf(saved.id)).toEqual(['registration.created', 'registration.submitted']);
    const approved = organizer.expect(200, await decide(eventId, saved.id, { decision: 'approve', start_number: '7' })).body.data;
    expect(approved).toMatchObject({
      status: 'approved',
      class: 'Абсолют',
      vehicle: { plate: '777 AAA 02' },
      start_number: '7',
      application_id: person.licence.id,
      eligibility: { ok: true, reasons: [] },
    });
    expect(approved.history.map(({ status, actor }: { status: string; actor: string }) => `${actor} ${status}`)).toEqual([
      'athlete submitted',
      'organizer approved',
    ]);
  });

  // REG-1, REG-13
  test('refuses a bad row with all its problems and keeps the others', async () => {
    const [person, stranger] = [await athlete(), await athlete()];
    const { id: eventId } = await competition({ settings: { crew: { roles: ['co-driver'], min: 1, max: 1 } } });
    const other = await competition();
    const elsewhere = await registered(stranger, other.id);
    const withoutCrew = rowOf(person, {
      class: 'Кубок',
      vehicle: { wheels: '4' },
      application_id: stranger.licence.id,
      crew: [
        { role: 'cook', registration_id: elsewhere },
        { role: 'co-driver', registration_id: elsewhere },
      ],
      document_ids: [person.licence.documentIds[0], 999_999],
    });
    const results = await send(person.client, eventId, [
      withoutCrew,
      { profile_id: stranger.licence.profileId, application_id: stranger.licence.id, class: 'Юниор' },
      { profile_id: 'seven', class: 'Кубок', colour: 'red' },
      'no row at all',
      { ...rowOf(person), id: 999_999 },
      { ...rowOf(person), application_ids: [person.licence.id] },
    ]);
    expect(results.map(({ ok, error }: { ok: boolean; error: { code: string } }) => (ok ? 'ok' : error.code))).toEqual([
      'validation_failed',
      'not_found',
      'validation_failed',
      'validation_failed',
      'not_found',
      'validation_failed',
    ]);
    expect(fieldsOf(results[0].error)).toEqual([
      'body.registrations.0.class unknown_class',
      'body.registrations.0.vehicle.wheels unknown_field',
      'body.registrations.0.crew.0.role unknown_role',
      'body.registrations.0.crew.0.registration_id not_found',
      'body.registrations.0.crew.1.registration_id repeated',
      'body.registrations.0.crew too_big',
      'body.registrations.0.application_id not_found',
      'body.registrations.0.document_ids.0 wrong_type',
      'body.registrations.0.document_ids.1 not_found',
    ]);
    expect(results[1].error.details).toEqual({ field: 'profile_id' });
    expect(fieldsOf(results[2].error)).toEqual(
      expect.arrayContaining([
        'body.registrations.2.profile_id invalid_type',
        'body.registrations.2.colour unknown_field',
        'body.registrations.2.class unknown_class',
      ]),
    );
    expect(fieldsOf(results[3].error)).toEqual(['body.registrations.3 invalid_type']);
    expect(fieldsOf(results[5].error)).toContain('body.registrations.5.application_ids not_allowed');
    const [first] = await send(person.client, eventId, [rowOf(person), 'bad'], false);
    expect(first.ok).toBe(true);
  });

  test('crews are submitted registrations of the event, also at approval (REG-14)', async () => {
    const [driver, navigator] = [await athlete(), await athlete()];
    const { id: eventId } = await competition({ settings: { crew: { roles: ['co-driver'], min: 0, max: 1 } } });
    const [draft] = await send(navigator.client, eventId, [rowOf(navigator)], false);
    const crew = [{ role: 'co-driver', registration_id: draft.id }];
    const [refused] = await send(driver.client, eventId, [rowOf(driver, { crew })]);
    expect(fieldsOf(refused.error)).toEqual(['body.registrations.0.crew.0.registration_id not_found']);
    await send(navigator.client, eventId, [rowOf(navigator, { id: draft.id })]);
    const id = await registered(driver, eventId, { crew });
    expect(await api.sql('select member_id, role from registration_crew where registration_id = $1', [id])).toEqual([
      { member_id: draft.id, role: 'co-driver' },
    ]);
    // A crew is judged again at approval.
    navigator.client.expect(200, await navigator.client.post(`/event-registrations/${draft.id}/withdraw`));
    const fields = [{ path: 'crew.0.registration_id', code: 'withdrawn', registration_id: draft.id }];
    expect(await decide(eventId, id, { decision: 'approve' })).toMatchObject({
      status: 409,
      body: { error: { code: 'crew_not_valid', details: { fields } } },
    });
    await api.sql("update registrations set status = 'submitted' where id = $1", [draft.id]);
    organizer.expect(200, await decide(eventId, id, { decision: 'approve' }));
  });

  test('creates no duplicate in one batch, in two, or in parallel batches (REG-2)', async () => {
    const person = await athlete();
    const { id: eventId } = await competition();
    const row = rowOf(person);
    const [first, second, third] = await send(person.client, eventId, [row, row, { ...row, class: 'Абсолют' }]);
    expect([first.ok, third.ok]).toEqual([true, true]);
    expect(second.error).toMatchObject({ code: 'duplicate_registration', details: { registration_id: first.id } });
    const [again] = await send(person.client, eventId, [row]);
    expect(again.error).toMatchObject({ code: 'duplicate_registration', details: { registration_id: first.id } });

    const next = await competition();
    const outcomes = (await Promise.all([1, 2, 3, 4].map(() => send(person.client, next.id, [row])))).flat();
    expect(outcomes.filter(({ ok }: { ok: boolean }) => ok)).toHaveLength(1);
    expect(new Set(outcomes.map(({ id, error }) => id ?? error.details.registration_id)).size).toBe(1);
    expect(await api.sql('select 1 from registrations where event_id = $1', [next.id])).toHaveLength(1);
  });

  // REG-1, REG-2
  test('a later row may take a class that an earlier row frees; two registrations may swap classes', async () => {
    const person = await athlete();
    const { id: eventId } = await competition({ settings: { classes: ['A', 'B', 'C'] } });
    const row = (fields: Record<string, unknown>) => rowOf(person, fields);
    const classesOf = async () => {
      const { data } = person.client.expect(200, await person.client.get(`/event-registrations?event_id=${eventId}`)).body;
      return Object.fromEntries(data.map(({ id, class: name }: { id: number; class: string }) => [name, id]));
    };
    const [first] = await send(person.client, eventId, [row({ class: 'A' })], false);
    const [moved, second] = await send(person.client, eventId, [row({ id: first.id, class: 'B' }), row({ class: 'A' })], false);
    expect([moved, second]).toMatchObject([{ ok: true, id: first.id }, { ok: true }]);
    expect(await classesOf()).toEqual({ A: second.id, B: first.id });
    // An earlier row cannot use a class that a later row frees.
    const [early, late] = await send(person.client, eventId, [row({ class: 'B' }), row({ id: first.id, class: 'C' })], false);
    expect(early).toMatchObject({ ok: false, error: { code: 'duplicate_registration', details: { registration_id: first.id } } });
    expect(late).toMatchObject({ ok: true, id: first.id });
    const chain = [row({ id: first.id, class: 'B' }), row({ id: second.id, class: 'C' })];
    expect((await send(person.client, eventId, chain, false)).map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true]);
    const swap = [row({ id: first.id, class: 'C' }), row({ id: second.id, class: 'B' }), row({ class: 'C' })];
    const [one, other, third] = await send(person.client, eventId, swap, false);
    expect([one.ok, other.ok]).toEqual([true, true]);
    expect(third.error).toMatchObject({ code: 'duplicate_registration', details: { registration_id: first.id } });
    expect(await classesOf()).toEqual({ B: second.id, C: first.id });
  });

  // REG-1, REG-11
  test('is refused as a whole when too long or empty and for an unpublished event, by row while no intake is open', async () => {
    const person = await athlete();
    const { id: eventId } = await competition();
    const path = `/events/${eventId}/registrations/batch`;
    const tooMany = await person.client.post(path, { registrations: Array.from({ length: 101 }, () => rowOf(person)), submit: true });
    expect([tooMany.status, fieldsOf(tooMany.body.error)]).toEqual([422, ['body.registrations too_big']]);
    expect((await person.client.post(path, { registrations: [], submit: true })).status).toBe(422);
    for (const status of ['draft', 'in_progress', 'cancelled'] as const) {
      const hidden = await competition({ status });
      const refused = await person.client.post(`/events/${hidden.id}/registrations/batch`, {
        registrations: [rowOf(person)],
        submit: true,
      });
      expect(refused).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
    // Each row is refused while the intake is not open.
    for (const settings of [{ opensAt: null }, { opensAt: at('07-01') }, { closesAt: at('05-01') }]) {
      const [result] = await send(person.client, (await competition({ settings })).id, [rowOf(person)]);
      expect(result).toMatchObject({ index: 0, ok: false, error: { code: 'intake_closed' } });
    }
  });
});

describe('eligibility', () => {
  test('a licence must fit and be valid on every day: names the reasons; a draft need not be eligible', async () => {
    const person = await athlete({ medical: { expiresAt: `${year}-08-01` } });
    const { id: eventId } = await competition();
    const [refused] = await send(person.client, eventId, [rowOf(person)]);
    expect(refused.error).toMatchObject({
      code: 'not_eligible',
      details: { reasons: [{ code: 'document_expired', day: `${year}-08-02`, document_id: person.licence.documentIds[1] }] },
    });
    expect((await send(person.client, eventId, [rowOf(person)], false))[0].ok).toBe(true);
    const drifter = await athlete({ serviceId: 3, data: { discipline_id: 3 } });
    const [fitting] = await send(drifter.client, (await competition({ disciplineId: 3 })).id, [rowOf(drifter)]);
    expect(fitting.ok).toBe(true);
    const [result] = await send(drifter.client, eventId, [rowOf(drifter)]);
    expect(result.error.details.reasons.map(({ code }: { code: string }) => code)).toEqual(['licence_not_fitting']);
  });

  test('both papers of another federation replace a licence (REG-3); what a registration uses cannot be deleted (REG-16)', async () => {
    const client = await api.user();
    const profileId = await make.profile(client, { status: 'approved', columns: { everApproved: false } });
    const papers = [];
    for (const type of ['naf_permission', 'foreign_naf_license'] as const)
      papers.push(await make.document(client, profileId, { type, status: 'approved', expiresAt: `${year}-12-01` }));
    const pending = await make.document(client, profileId, { type: 'naf_permission' });
    const { id: eventId } = await competition();
    const row = { profile_id: profileId, class: 'Юниор' };
    const [one, unreviewed, both] = await send(client, eventId, [
      { ...row, document_ids: [papers[0]] },
      { ...row, document_ids: [pending, papers[1]] },
      { ...row, document_ids: papers },
    ]);
    expect(fieldsOf(one.error)).toEqual(['body.registrations.0.application_id required']);
    expect(fieldsOf(unreviewed.error)).toEqual(['body.registrations.1.document_ids.0 not_approved']);
    expect(both.ok).toBe(true);
    const decided = organizer.expect(200, await decide(eventId, both.id, { decision: 'approve' })).body.data;
    expect(decided).toMatchObject({ application_id: null, application_ids: [] });
    expect(decided.documents.map(({ type }: { type: string }) => type).toSorted()).toEqual(['foreign_naf_license', 'naf_permission']);

    expect(await client.patch(`/documents/${papers[0]}`, { number: 'X1' })).toMatchObject({
      status: 409,
      body: { error: { code: 'document_in_use', details: { applications: [], registrations: [both.id] } } },
    });
    const [file] = await api.sql<{ file_id: string }>('select file_id from documents where id = $1', [papers[0]]);
    expect(await client.delete(`/files/${file?.file_id}`)).toMatchObject({ status: 409, body: { error: { code: 'file_in_use' } } });
    expect(await client.delete(`/profiles/${profileId}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'profile_in_use', details: { registrations: [both.id] } } },
    });
  });

  // REG-6
  test('a returned document notifies both sides once and keeps the status; approval is refused until it is approved again', async () => {
    const person = await athlete();
    const { id: eventId } = await competition();
    const [id, approved] = [await registered(person, eventId), await registered(person, eventId, { class: 'Абсолют' })];
    organizer.expect(200, await decide(eventId, approved, { decision: 'approve' }));
    const sentTo = (registration: number, count: number) =>
      waitFor(
        () => notificationsOf(registration),
        (sent) => sent.length >= count,
        `${count} notifications of a registration`,
      );
    const medical = person.licence.documentIds[1] ?? 0;
    await review(medical, 'changes');
    const both = (type: string) => [`registration.${type} to ${person.client.userId}`, `registration.${type} to ${organizer.userId}`];
    expect(await sentTo(id, 2)).toEqual(both('lapsed'));
    const refused = await decide(eventId, id, { decision: 'approve' });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'not_eligible' } } });
    expect(refused.body.error.details.reasons).toEqual([
      { code: 'document_not_approved', day: `${year}-08-01`, until_day: `${year}-08-02`, document_id: medical },
    ]);
    // The approved registration stays approved.
    await sentTo(approved, 3);
    const [row] = await api.sql<{ status: string }>('select status from registrations where id = $1', [approved]);
    expect(row?.status).toBe('approved');

    await review(medical, 'approve');
    expect(await sentTo(id, 4)).toEqual([...both('lapsed'), ...both('eligible_again')]);
    expect(await actionsOf(id)).toEqual(['registration.submitted', 'registration.lapsed', 'registration.eligible_again']);
    organizer.expect(200, await decide(eventId, id, { decision: 'approve' }));
  });
});

// REG-7
describe('while a document of the licence is being returned', () => {
  const returning = async (documentId: number, sent: () => Promise<unknown>) => {
    const actor = { kind: 'user', userId: administrator.userId, isAdministrator: true, impersonatedUserId: null } as const;
    let answer: Promise<unknown> | undefined;
    await commit(api.platform, { actor, requestId: 'req-returning', ip: null }, async (ctx) => {
      await reviewDocument(ctx, documentId, { decision: 'changes', note: 'cut off' });
      await ctx.em.flush();
      answer = sent();
      await waitForLock(api);
    });
    return answer;
  };

  test('a registration is refused', async () => {
    const person = await athlete();
    const { id: eventId } = await competition();
    const [documentId = 0] = person.licence.documentIds;
    const [result] = (await returning(documentId, () => send(person.client, eventId, [rowOf(person)]))) as {
      ok: boolean;
      error: unknown;
    }[];
    expect(result).toMatchObject({ ok: false, error: { code: 'not_eligible', details: { reasons: [{ document_id: documentId }] } } });
  });

  test('a registration is not approved', async () => {
    const person = await athlete();
    const { id: eventId } = await competition();
    const id = await registered(person, eventId);
    const [documentId = 0] = person.licence.documentIds;
    const answer = await returning(documentId, () => decide(eventId, id, { decision: 'approve' }));
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'not_eligible' } } });
  });
});

describe('the organizer decides', () => {
  test('on a submitted registration of their own event, with a reason unless approving (REG-5)', async () => {
    const person = await athlete();
    const stranger = await api.user();
    const { id: eventId } = await competition();
    const other = await competition();
    const id = await registered(person, eventId);
    expect(await decide(eventId, id, { decision: 'approve' }, stranger)).toMatchObject({ status: 404 });
    expect(await decide(eventId, id, { decision: 'approve' }, person.client)).toMatchObject({ status: 404 });
    expect(await decide(other.id, id, { decision: 'approve' })).toMatchObject({ status: 404 });
    const without = await decide(eventId, id, { decision: 'reject' });
    expect([without.status, fieldsOf(without.body.error)]).toEqual([422, ['body.reason required']]);
    expect((await decide(eventId, id, { decision: 'return', reason: 'why' })).status).toBe(422);

    const returned = organizer.expect(200, await decide(eventId, id, { decision: 'return', reason: 'the plate is missing' })).body.data;
    expect(returned).toMatchObject({ status: 'returned', reason: 'the plate is missing' });
    expect(await decide(eventId, id, { decision: 'approve' })).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    // Saving keeps it returned; submitting hands it to the organizer again.
    expect((await send(person.client, eventId, [rowOf(person, { id })], false))[0].ok).toBe(true);
    expect((await send(person.client, eventId, [rowOf(person, { id })]))[0].ok).toBe(true);
    const [locked] = await send(person.client, eventId, [rowOf(person, { id })]);
    expect(locked.error).toMatchObject({ code: 'invalid_state', details: { status: 'submitted' } });
    const rejected = organizer.expect(200, await decide(eventId, id, { decision: 'reject', reason: 'too late for this' })).body.data;
    expect(rejected.history.map(({ status, reason }: { status: string; reason: string | null }) => [status, reason])).toEqual([
      ['submitted', null],
      ['returned', 'the plate is missing'],
      ['submitted', null],
      ['rejected', 'too late for this'],
    ]);
    for (const decision of ['approve', 'reject']) {
      const again = await decide(eventId, id, { decision, ...(decision === 'reject' ? { reason: 'too late for this' } : {}) });
      expect(again).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    }
    expect(await notificationsOf(id)).toEqual([
      `registration.returned to ${person.client.userId}`,
      `registration.rejected to ${person.client.userId}`,
    ]);
    // REG-2: the rejection freed the place.
    expect(await registered(person, eventId)).not.toBe(id);
  });

  test('parallel approvals do not assign one start number twice (REG-12)', async () => {
    const people = [await athlete(), await athlete()];
    const { id: eventId } = await competition();
    const ids = await Promise.all(people.map((person) => registered(person, eventId)));
    const answers = await Promise.all(ids.map((id) => decide(eventId, id, { decision: 'approve', start_number: '1' })));
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('start_number_taken');
    expect(await api.sql("select 1 from registrations where event_id = $1 and start_number = '1'", [eventId])).toHaveLength(1);
    expect(await api.sql("select 1 from registrations where event_id = $1 and status = 'submitted'", [eventId])).toHaveLength(1);
  });
});

// REG-5
test('a returned registration is corrected after the intake has closed, until the event starts', async () => {
  const [person, late] = [await athlete(), await athlete()];
  const { id: eventId } = await competition();
  const id = await registered(person, eventId);
  await api.sql('update registration_settings set closes_at = $2 where event_id = $1', [eventId, at('06-01', '11:00')]);
  organizer.expect(200, await decide(eventId, id, { decision: 'return', reason: 'the plate is missing' }));
  const [notice] = await api.sql<{ facts: { until: string } }>(
    "select facts from notifications where type = 'registration.returned' and subject_id = $1",
    [String(id)],
  );
  expect(notice?.facts.until).toBe(`${year}-08-01T10:00:00+05:00`);
  const [corrected, refused] = await send(person.client, eventId, [rowOf(person, { id }), rowOf(late)]);
  expect([corrected.ok, refused.error.code]).toEqual([true, 'intake_closed']);

  organizer.expect(200, await decide(eventId, id, { decision: 'return', reason: 'the plate is missing' }));
  await api.sql('update events set starts_at = $2 where id = $1', [eventId, at('06-01', '11:00')]);
  const [begun] = await send(person.client, eventId, [rowOf(person, { id })]);
  expect(begun.error).toMatchObject({ code: 'intake_closed' });
});

// REG-12
test('a start number is set, changed and cleared after the approval; an equal one changes nothing', async () => {
  const [person, other] = [await athlete(), await athlete()];
  const { id: eventId } = await competition();
  const [id, second] = [await registered(person, eventId), await registered(other, eventId)];
  expect(await decide(eventId, id, { start_number: '17' })).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
  organizer.expect(200, await decide(eventId, id, { decision: 'approve' }));
  organizer.expect(200, await decide(eventId, second, { decision: 'approve', start_number: '8' }));
  const numbered = organizer.expect(200, await decide(eventId, id, { start_number: '17' })).body.data;
  expect(numbered).toMatchObject({ status: 'approved', start_number: '17' });
  expect(numbered.history.at(-1)).toMatchObject({ status: 'approved', actor: 'organizer', start_number: '17' });
  const before = await actionsOf(id);
  const same = organizer.expect(200, await decide(eventId, id, { start_number: '17' })).body.data;
  expect([same.updated_at, await actionsOf(id)]).toEqual([numbered.updated_at, before]);
  expect((await decide(eventId, id, { start_number: '8' })).body.error.code).toBe('start_number_taken');
  expect(organizer.expect(200, await decide(eventId, id, { start_number: null })).body.data.start_number).toBeNull();
  expect((await actionsOf(id)).slice(-3)).toEqual(['registration.approved', 'registration.numbered', 'registration.numbered']);
  const wrong = await decide(eventId, id, { reason: 'no decision here' });
  expect(fieldsOf(wrong.body.error)).toEqual(['body.decision required', 'body.reason not_allowed']);
  const { data: steps } = person.client.expect(200, await person.client.get(`/event-registrations/${id}/timeline`)).body;
  expect(steps.slice(-2).map(({ step, text }: { step: string; text: string }) => [step, text])).toEqual([
    ['numbered', 'The organizer set the start number 17.'],
    ['numbered', 'The organizer removed the start number.'],
  ]);
});

// REG-19
test('the organizer is notified of new registrations once an hour for an event, with the number that waits', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => athlete()));
  const { id: eventId } = await competition();
  const sent = () =>
    api
      .sql<{ user_id: number; facts: { waiting: number } }>(
        "select user_id, facts from notifications where type = 'registration.submitted' and subject_id = $1 order by id",
        [String(eventId)],
      )
      .then((rows) => rows.map(({ user_id: userId, facts }) => [userId, facts.waiting]));
  await Promise.all(people.slice(0, 2).map((person) => registered(person, eventId)));
  expect(await sent()).toEqual([[organizer.userId, expect.any(Number)]]);
  const [third, fourth] = people.slice(2);
  if (third === undefined || fourth === undefined) throw new Error('four athletes');
  await send(third.client, eventId, [rowOf(third)], false);
  expect(await sent()).toHaveLength(1);
  // An hour after the last one, as if the clock had moved.
  await api.sql(
    "update registration_settings set submissions_told_at = submissions_told_at - interval '1 hour', has_untold_submissions = false where event_id = $1",
    [eventId],
  );
  await registered(fourth, eventId);
  expect((await sent()).slice(1)).toEqual([[organizer.userId, 3]]);
});

describe('POST /event-registrations/{id}/withdraw', () => {
  // REG-9, REG-12
  test('frees the place and the start number; is refused when already withdrawn', async () => {
    const [person, next] = [await athlete(), await athlete()];
    const { id: eventId } = await competition();
    const id = await registered(person, eventId);
    organizer.expect(200, await decide(eventId, id, { decision: 'approve', start_number: '5' }));
    expect((await next.client.post(`/event-registrations/${id}/withdraw`)).status).toBe(404);
    const withdrawn = person.client.expect(200, await person.client.post(`/event-registrations/${id}/withdraw`)).body.data;
    expect(withdrawn).toMatchObject({ status: 'withdrawn', start_number: null });
    expect((await person.client.post(`/event-registrations/${id}/withdraw`)).body.error.code).toBe('invalid_state');
    expect(await notificationsOf(id)).toEqual([
      `registration.approved to ${person.client.userId}`,
      `registration.withdrawn to ${organizer.userId}`,
    ]);
    const other = await registered(next, eventId);
    organizer.expect(200, await decide(eventId, other, { decision: 'approve', start_number: '5' }));
    expect(await registered(person, eventId)).not.toBe(id);
    await waitFor(
      () => api.platform.processes.describe(`registration/${id}`),
      (seen) => seen?.status === 'completed',
      'the process to complete',
    );
    // The organizer is not notified of a withdrawn draft (REG-8).
    const [draft] = await send(next.client, eventId, [rowOf(next, { class: 'Абсолют' })], false);
    next.client.expect(200, await next.client.post(`/event-registrations/${draft.id}/withdraw`));
    expect(await notificationsOf(draft.id)).toEqual([]);
    expect((await decide(eventId, draft.id, { decision: 'approve' })).status).toBe(404);
  });
});

test('POST /events/{id}/register submits one athlete and answers the refusals of a row', async () => {
  const person = await athlete();
  const { id: eventId } = await competition({
    settings: { classes: ['Абсолют'], vehicleFields: [{ code: 'plate', title: 'Plate', required: true }] },
  });
  const body = { profile_id: person.licence.profileId, application_id: person.licence.id };
  const made = person.client.expect(201, await person.client.post(`/events/${eventId}/register`, body));
  expect(made.body.data).toMatchObject({ event_id: eventId, status: 'submitted', class: 'Абсолют', application_id: person.licence.id });
  expect(made.headers.get('location')).toBe(`/api/v1/event-registrations/${made.body.data.id}`);
  expect(await person.client.post(`/events/${eventId}/register`, body)).toMatchObject({
    status: 409,
    body: { error: { code: 'duplicate_registration', details: { registration_id: made.body.data.id } } },
  });
  const several = await competition();
  const unclear = await person.client.post(`/events/${several.id}/register`, body);
  expect([unclear.status, fieldsOf(unclear.body.error)]).toEqual([422, ['body.class required']]);
});

test('cancelling a competition notifies its athletes once and ends the processes (REG-15)', async () => {
  const people = [await athlete(), await athlete()];
  const { id: eventId } = await competition();
  const ids = await Promise.all(people.map((person) => registered(person, eventId)));
  administrator.expect(200, await administrator.post(`/events/${eventId}/cancel`, { reason: 'the road is closed' }));
  for (let sweep = 0; sweep < 2; sweep += 1) administrator.expect(200, await api.browser().post('/sandbox/sweep'));
  for (const [index, id] of ids.entries()) {
    expect(await notificationsOf(id)).toEqual([`registration.event_cancelled to ${people[index]?.client.userId}`]);
    await waitFor(
      () => api.platform.processes.describe(`registration/${id}`),
      (seen) => seen?.status === 'completed',
      'the process to complete',
    );
  }
  const late = await decide(eventId, ids[0] ?? 0, { decision: 'approve' });
  expect(late).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
});

test('the last day of an event of bare days counts whole (API-4)', async () => {
  const steps = organizerSteps(api);
  const day = `${year}-09-05`;
  const { id: eventId } = await competition({ stages: { regulations: 'approved', results: 'open' } });
  await api.sql('update events set starts_at = $2, ends_at = $3 where id = $1', [eventId, at('09-05', '00:00'), at('09-05', '23:59')]);
  const intake = { opens_at: `${year}-06-01`, closes_at: day, classes: ['Юниор', 'Абсолют'] };
  organizer.expect(200, await organizer.put(`/events/${eventId}/registration-settings`, intake));
  const browser = api.browser();
  const listed = browser.expect(200, await browser.get(`/events/public?from=${day}&to=${day}`)).body.data;
  expect(listed.map(({ id }: { id: number }) => id)).toContain(eventId);
  const feed = browser.expect(200, await browser.get('/events/public.ics')).bytes.toString();
  const own = feed.split('BEGIN:VEVENT').find((part) => part.includes(`UID:event-${eventId}@`));
  expect(own?.match(/DT(START|END):\w+/g)).toEqual([`DTSTART:${year}0904T190000Z`, `DTEND:${year}0905T185900Z`]);

  await api.travelTo(`${day}T23:40:00+05:00`);
  // A document that is valid to the end of that day.
  const person = await athlete({ medical: { expiresAt: day } });
  const id = await registered(person, eventId);
  expect(person.client.expect(200, await person.client.get(`/event-registrations/${id}`)).body.data.eligibility.ok).toBe(true);
  const { number } = person.client.expect(200, await person.client.get(`/applications/${person.licence.id}`)).body.data;
  organizer.expect(201, await organizer.post(`/events/${eventId}/participants`, { certificate: number }));
  expect(await steps.submit(organizer, eventId, 'results')).toMatchObject({ status: 409, body: { error: { code: 'stage_not_open' } } });

  await api.travelTo(at('09-06', '00:00').toISOString());
  const [late] = await send(person.client, eventId, [rowOf(person, { class: 'Абсолют' })]);
  expect(late.error.code).toBe('intake_closed');
  await steps.attach(organizer, eventId, 'results');
  organizer.expect(200, await steps.submit(organizer, eventId, 'results'));
});
