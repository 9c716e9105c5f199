import type { TestClient } from '../../support/client.ts';
import type { MadeApplication } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { useRegistry } from '../../support/use-registry.ts';
import { waitFor } from '../../support/wait-for.ts';
import { yearOf } from '../../../src/platform/time/date-time.ts';

const { api, make, audit } = await useRegistry();
const events = eventFixtures(api.platform);
const organizer = await api.user('Organizer');
/** The year of the tests' clock, set to its summer, so that no licence ends during the tests. */
const year = yearOf(new Date()) + 1;
const at = (day: string, time = '10:00') => new Date(`${year}-${day}T${time}:00+05:00`);
const later = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString();

beforeAll(async () => {
  await api.travelTo(`${year}-06-01T12:00:00+05:00`);
});

interface Athlete {
  client: TestClient;
  licence: MadeApplication;
}

async function athlete(): Promise<Athlete> {
  const client = await api.user();
  return { client, licence: await make.application(client, { status: 'approved' }) };
}
const athletes = (count: number) => Promise.all(Array.from({ length: count }, athlete));

const limited = (capacity: number, fields = {}) => ({ name: 'N2', capacity, waitingList: true, offerHours: 48, ...fields });

async function competition(limit = limited(1), fields = {}): Promise<number> {
  const settings = { classes: ['N2', 'R5'], classLimits: [limit], ...fields };
  return (await events.event(organizer, { startsAt: at('08-01'), endsAt: at('08-02', '18:00'), settings })).id;
}

const rowOf = ({ licence }: Athlete, fields: Record<string, unknown> = {}) => ({
  profile_id: licence.profileId,
  application_id: licence.id,
  class: 'N2',
  ...fields,
});

async function send({ client }: Pick<Athlete, 'client'>, eventId: number, rows: unknown[], submit = true) {
  return client.expect(200, await client.post(`/events/${eventId}/registrations/batch`, { registrations: rows, submit })).body.data.results;
}

async function register(person: Athlete, eventId: number, fields: Record<string, unknown> = {}): Promise<number> {
  const [result] = await send(person, eventId, [rowOf(person, fields)]);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result.id;
}

const read = async ({ client }: Athlete, id: number) => client.expect(200, await client.get(`/event-registrations/${id}`)).body.data;
const withdraw = async ({ client }: Athlete, id: number) =>
  client.expect(200, await client.post(`/event-registrations/${id}/withdraw`)).body.data;
const accept = ({ client }: Athlete, id: number) => client.post(`/event-registrations/${id}/accept`);
const statuses = async (ids: readonly number[]) => {
  const rows = await api.sql<{ id: number; status: string }>('select id, status from registrations where id = any($1)', [ids]);
  const byId = new Map(rows.map(({ id, status }) => [id, status]));
  return ids.map((id) => byId.get(id));
};
const typesOf = (id: number) =>
  api
    .sql<{ type: string }>("select type from notifications where subject_kind = 'registration' and subject_id = $1 order by id", [id])
    .then((rows) => rows.map(({ type }) => type));
const placesOf = async (eventId: number) => {
  const browser = api.browser();
  return browser.expect(200, await browser.get(`/events/public/${eventId}`)).body.data.places;
};
const waitingTold = (eventId: number) =>
  api
    .sql<{ facts: { waiting: number } }>(
      "select facts from notifications where type = 'registration.submitted' and subject_id = $1 order by id",
      [String(eventId)],
    )
    .then((rows) => rows.map(({ facts }) => facts.waiting));
const setClasses = async (eventId: number, classes: unknown[], fields = {}) =>
  organizer.expect(
    200,
    await organizer.put(`/events/${eventId}/registration-settings`, { opens_at: at('05-01').toISOString(), classes, ...fields }),
  ).body.data;

describe('the settings', () => {
  test('classes are strings or objects; what is read can be sent back, and old clients go on (EVT-22)', async () => {
    const eventId = await competition();
    const n2 = { name: 'N2', capacity: 2, waiting_list: true, offer_hours: 24 };
    const set = await setClasses(eventId, ['R5', n2]);
    expect(set).toMatchObject({
      classes: ['R5', 'N2'],
      class_limits: [{ name: 'R5', capacity: null, waiting_list: false, offer_hours: 48 }, n2],
    });
    const actions = async () =>
      (await audit('event', eventId)).filter(({ action }) => action === 'event.registration_settings_updated').length;
    const before = await actions();
    expect(await setClasses(eventId, set.class_limits)).toEqual(set);
    expect(await actions()).toBe(before);
    const plain = await setClasses(eventId, set.classes);
    expect(plain.class_limits).toEqual(set.classes.map((name: string) => ({ ...set.class_limits[0], name })));
  });

  test.each([
    [{ name: 'N2', capacity: 0 }, 'body.classes.0.capacity'],
    [{ name: 'N2', waiting_list: true }, 'body.classes.0.waiting_list'],
    [{ name: 'N2', capacity: 5, offer_hours: 169 }, 'body.classes.0.offer_hours'],
    [{ capacity: 5 }, 'body.classes.0'],
  ])('%j is refused', async (entry, path) => {
    const eventId = await competition();
    const answer = await organizer.put(`/events/${eventId}/registration-settings`, { classes: [entry] });
    expect(organizer.expect(422, answer).body.error.details.fields).toMatchObject([{ path }]);
  });
});

test('an accepted place counts among the registrations that the organizer is notified of', async () => {
  const eventId = await competition();
  const [first, second] = await athletes(2);
  if (!first || !second) throw new Error('two athletes');
  const one = await register(first, eventId);
  const two = await register(second, eventId);
  await withdraw(first, one);
  // An hour after the last one, as if the clock had moved.
  await api.sql("update registration_settings set submissions_told_at = submissions_told_at - interval '1 hour' where event_id = $1", [
    eventId,
  ]);
  second.client.expect(200, await accept(second, two));
  expect(await waitingTold(eventId)).toEqual([1, 1]);
});

test('a full class without a list refuses a row by class_full, and the other rows stand', async () => {
  const eventId = await competition(limited(1, { waitingList: false }));
  const [first, second] = await athletes(2);
  if (!first || !second) throw new Error('two athletes');
  await register(first, eventId);
  const results = await send(second, eventId, [rowOf(second), rowOf(second, { class: 'R5' })]);
  expect(results).toMatchObject([{ ok: false, error: { code: 'class_full', details: { class: 'N2' } } }, { ok: true }]);
  const earlier = await second.client.post(`/events/${eventId}/register`, {
    profile_id: second.licence.profileId,
    application_id: second.licence.id,
    class: 'N2',
  });
  expect(second.client.expect(409, earlier).body.error.code).toBe('class_full');
  expect(await placesOf(eventId)).toEqual([
    { class: 'N2', capacity: 1, taken: 1, waiting: 0 },
    { class: 'R5', capacity: null, taken: 1, waiting: 0 },
  ]);
});

test('a submission to a full class waits; the place that frees is offered to the first, who accepts it (REG-21)', async () => {
  const eventId = await competition();
  const [holder, first, second] = await athletes(3);
  if (!holder || !first || !second) throw new Error('three athletes');
  const options = async () => {
    const { client } = first;
    return client.expect(200, await client.get(`/events/${eventId}/registration-options`)).body.data.places;
  };
  expect(await options()).toMatchObject([
    { class: 'N2', next: 'place' },
    { class: 'R5', next: 'place' },
  ]);
  const held = await register(holder, eventId);
  expect(await options()).toMatchObject([
    { class: 'N2', taken: 1, next: 'waiting_list' },
    { class: 'R5', next: 'place' },
  ]);
  const [one, two] = [await register(first, eventId), await register(second, eventId)];
  expect([await read(first, one), await read(second, two)]).toMatchObject([
    { status: 'waiting', waiting_place: 1, offered_until: null },
    { status: 'waiting', waiting_place: 2, offered_until: null },
  ]);
  expect(await typesOf(two)).toEqual(['registration.waiting']);
  expect(first.client.expect(409, await accept(first, one)).body.error.details).toEqual({
    status: 'waiting',
    allowed: ['offer', 'withdraw'],
  });

  await withdraw(holder, held);
  const offered = await read(first, one);
  expect(offered).toMatchObject({ status: 'offered', waiting_place: null });
  expect(await read(second, two)).toMatchObject({ status: 'waiting', waiting_place: 1 });
  expect(await placesOf(eventId)).toMatchObject([{ taken: 1, waiting: 1 }, {}]);
  expect(second.client.expect(404, await accept(second, one)).body.error.code).toBe('not_found');

  expect(first.client.expect(200, await accept(first, one)).body.data).toMatchObject({ status: 'submitted', offered_until: null });
  expect(first.client.expect(409, await accept(first, one)).body.error.code).toBe('invalid_state');
  expect(
    (await audit('registration', one)).map(({ action, actor_id: by }) => `${action} by ${by === null ? 'registry' : 'athlete'}`),
  ).toEqual(['registration.queued by athlete', 'registration.offered by registry', 'registration.accepted by athlete']);
  expect(await typesOf(one)).toEqual(['registration.waiting', 'registration.offered']);
  const timeline = first.client.expect(200, await first.client.get(`/event-registrations/${one}/timeline`)).body.data;
  expect(timeline.map(({ step, actor }: { step: string; actor: string }) => `${step} by ${actor}`)).toEqual([
    'queued by owner',
    'offered by system',
    'accepted by owner',
  ]);
  const approved = await organizer.patch(`/events/${eventId}/registrations/${one}`, { decision: 'approve' });
  organizer.expect(200, approved);
});

test('an offer that runs out goes to the end of the line once, then withdraws; the next gets the place', async () => {
  const eventId = await competition(limited(1, { offerHours: 1 }));
  const [holder, first, second] = await athletes(3);
  if (!holder || !first || !second) throw new Error('three athletes');
  const held = await register(holder, eventId);
  const [one, two] = [await register(first, eventId), await register(second, eventId)];
  await withdraw(holder, held);
  const expire = async (id: number) => {
    const [row] = await api.sql<{ offered_until: Date }>('select offered_until from registrations where id = $1', [id]);
    await api.travelTo(later(row?.offered_until.toISOString() ?? '', 1_000));
  };
  const becomes = (expected: string[]) =>
    waitFor(
      () => statuses([one, two]),
      (seen) => seen.join() === expected.join(),
      `${expected.join()} of the two`,
    );
  await expire(one);
  await becomes(['waiting', 'offered']);
  await expire(two);
  await becomes(['offered', 'waiting']);
  await expire(one);
  await becomes(['withdrawn', 'offered']);
  expect(await typesOf(one)).toEqual([
    'registration.waiting',
    'registration.offered',
    'registration.offer_expired',
    'registration.offered',
    'registration.offer_expired',
  ]);
  expect(second.client.expect(200, await accept(second, two)).body.data.status).toBe('submitted');
});

test('a raised capacity offers the new places in order; a lowered one takes none away; a longer intake offers again', async () => {
  const eventId = await competition(limited(2));
  const people = await athletes(5);
  const ids: number[] = [];
  for (const person of people) ids.push(await register(person, eventId));
  const n2 = (capacity: number) => [{ name: 'N2', capacity, waiting_list: true }, 'R5'];
  expect(await statuses(ids)).toEqual(['submitted', 'submitted', 'waiting', 'waiting', 'waiting']);
  await setClasses(eventId, n2(1));
  expect(await statuses(ids)).toEqual(['submitted', 'submitted', 'waiting', 'waiting', 'waiting']);
  await setClasses(eventId, n2(3));
  expect(await statuses(ids)).toEqual(['submitted', 'submitted', 'offered', 'waiting', 'waiting']);
  // The intake has closed: the place stays free until the organizer offers it, or the intake is longer.
  const isClosed = { opens_at: at('05-01').toISOString(), closes_at: at('05-02').toISOString() };
  await setClasses(eventId, n2(3), isClosed);
  const [, , third] = people;
  if (!third || ids[2] === undefined) throw new Error('a third');
  await withdraw(third, ids[2]);
  expect(await statuses(ids)).toEqual(['submitted', 'submitted', 'withdrawn', 'waiting', 'waiting']);
  const byHand = await organizer.patch(`/events/${eventId}/registrations/${ids[4]}`, { decision: 'offer' });
  expect(organizer.expect(200, byHand).body.data.status).toBe('offered');
  const [, one] = [0, ids[3]];
  const full = await organizer.patch(`/events/${eventId}/registrations/${one}`, { decision: 'offer' });
  expect(organizer.expect(409, full).body.error).toMatchObject({ code: 'class_full', details: { class: 'N2' } });
  await setClasses(eventId, n2(4));
  expect(await statuses(ids)).toEqual(['submitted', 'submitted', 'withdrawn', 'offered', 'offered']);
});

test('a rejection frees the place; a return keeps it; a returned registration that changes its class needs a place there', async () => {
  const eventId = await competition(limited(1));
  const [holder, waiter, other] = await athletes(3);
  if (!holder || !waiter || !other) throw new Error('three athletes');
  const held = await register(holder, eventId);
  const waits = await register(waiter, eventId);
  const decide = async (id: number, body: object) =>
    organizer.expect(200, await organizer.patch(`/events/${eventId}/registrations/${id}`, body)).body.data.status;
  expect(await decide(held, { decision: 'return', reason: 'another class' })).toBe('returned');
  expect(await statuses([waits])).toEqual(['waiting']);
  // It moves: its place is offered to the one who waits.
  const [moved] = await send(holder, eventId, [rowOf(holder, { id: held, class: 'R5' })]);
  expect(moved.ok).toBe(true);
  expect(await statuses([held, waits])).toEqual(['submitted', 'offered']);
  expect(await decide(held, { decision: 'return', reason: 'back again' })).toBe('returned');
  const [saved] = await send(holder, eventId, [rowOf(holder, { id: held })], false);
  expect(saved.error.code).toBe('class_full');
  const [back] = await send(holder, eventId, [rowOf(holder, { id: held })]);
  expect([back.ok, await read(holder, held)]).toMatchObject([true, { status: 'waiting', waiting_place: 1 }]);
  waiter.client.expect(200, await accept(waiter, waits));
  expect(await decide(waits, { decision: 'reject', reason: 'not in this class' })).toBe('rejected');
  expect(await statuses([held])).toEqual(['offered']);
});

test('a crowd: no place twice, none empty while one waits, and none overtakes', async () => {
  const [capacity, crowd] = [6, 18];
  const eventId = await competition(limited(capacity));
  const people = await athletes(crowd);
  const ids = await Promise.all(people.map((person) => register(person, eventId)));
  const counted = async () => (await placesOf(eventId))[0];
  expect(await counted()).toEqual({ class: 'N2', capacity, taken: capacity, waiting: crowd - capacity });
  const line = async () =>
    (
      await api.sql<{ id: number }>(`select id from registrations where event_id = $1 and status = 'waiting' order by queued_at, id`, [
        eventId,
      ])
    ).map(({ id }) => id);
  const before = await line();
  const holders = ids.filter((id) => !before.includes(id));
  const ownerOf = (id: number) => {
    const person = people[ids.indexOf(id)];
    if (!person) throw new Error('each has a person');
    return person;
  };
  // All holders withdraw, two who wait too, and the organizer raises the capacity, at the same moment.
  const [, refusing, , also] = before;
  if (refusing === undefined || also === undefined) throw new Error('a line');
  await Promise.all([
    ...[...holders, refusing, also].map((id) => withdraw(ownerOf(id), id)),
    setClasses(eventId, [{ name: 'N2', capacity: capacity + 2, waiting_list: true }, 'R5']),
  ]);
  const rest = before.filter((id) => id !== refusing && id !== also);
  expect(await statuses(rest)).toEqual(rest.map((_, index) => (index < capacity + 2 ? 'offered' : 'waiting')));
  const offers = await api.sql<{ subject_id: string; count: number }>(
    "select subject_id, count(*)::int as count from notifications where type = 'registration.offered' and subject_id = any($1) group by 1",
    [ids.map(String)],
  );
  expect(offers.every(({ count }) => count === 1)).toBe(true);
});
