import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { databaseOf } from '../../src/platform/database/database.ts';
import { dayMs, endOfYear, yearOf } from '../../src/platform/time/date-time.ts';
import { withPlatform } from '../bench/stack.ts';
import { TestClient } from '../support/client.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertAthletes, type LicensedAthlete } from '../support/factories/registrations.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { waitFor } from '../support/wait-for.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';

/**
 * A crowd at one class, while the worker is killed: no place is given twice, none is empty while one waits, and the order is that of
 * submission (REG-20, REG-21). Each test continues after the previous one.
 */
const [clients, places, more] = [20, 50, 10];
const offerHours = 48;
const hourMs = 3_600_000;

let faultStack: FaultStack;
const watch = new Watch();
let eventId = 0;
let organizer: CarefulClient;
let athletes: (LicensedAthlete & { client: CarefulClient })[] = [];

beforeAll(async () => {
  faultStack = await startFaultStack();
  const { stack, baseUrl, people } = faultStack;
  const [owner, ...others] = await people(clients + 1);
  if (!owner) throw new Error('no person was made');
  organizer = new CarefulClient(baseUrl, owner.key, watch);
  // Certificates end with the year.
  const first = await now();
  if (yearOf(new Date(first)) !== yearOf(new Date(first + 30 * dayMs)))
    await travelTo(endOfYear(yearOf(new Date(first))).getTime() + dayMs);
  const at = new Date(await now());
  const made = await withPlatform(stack, async (platform) => {
    const limit = { name: 'N2', capacity: places, waitingList: true, offerHours };
    const settings = { classes: ['N2'], classLimits: [limit], opensAt: new Date(at.getTime() - dayMs) };
    const startsAt = new Date(at.getTime() + 25 * dayMs);
    ({ id: eventId } = await eventFixtures(platform).event(owner, { startsAt, settings }));
    const ownerIds = others.flatMap(({ userId }) => Array.from({ length: 10 }, () => userId));
    return insertAthletes(databaseOf(platform.orm.em.fork()), ownerIds, at);
  });
  const clientOf = new Map(others.map(({ userId, key }) => [userId, new CarefulClient(baseUrl, key, watch)]));
  athletes = made.map((athlete) => ({ ...athlete, client: clientOf.get(athlete.ownerId) ?? organizer }));
});
afterAll(() => faultStack.stop());

async function now(): Promise<number> {
  return Date.parse((await new TestClient(faultStack.baseUrl).get('/sandbox/clock')).body.data.now);
}

async function travelTo(instant: number): Promise<void> {
  const client = new TestClient(faultStack.baseUrl);
  client.expect(200, await client.put('/sandbox/clock', { now: new Date(instant).toISOString() }));
  void client.post('/sandbox/sweep').catch(() => undefined);
}

/** Kills the worker so often, a moment apart, while some work goes on. */
async function whileWorkerDies<T>(times: number, work: Promise<T>): Promise<T> {
  const worker = partOf(faultStack.stack, 'worker');
  for (let left = times; left > 0; left -= 1) {
    await setTimeout(400);
    await worker.kill('SIGKILL');
    await worker.whenReady();
  }
  return work;
}

interface Row {
  id: number;
  status: string;
}
const inOrder = () =>
  faultStack.sql<Row>(
    `select id, status from registrations where event_id = $1 order by case status when 'waiting' then 1 else 0 end, queued_at, id`,
    [eventId],
  );
const withStatus = async (status: string) => (await inOrder()).flatMap((row) => (row.status === status ? [row.id] : []));
const offersOf = async () => {
  const rows = await faultStack.sql<{ id: number; offers: number }>(
    `select subject_id::int as id, count(*)::int as offers from notifications where type = 'registration.offered' group by 1`,
  );
  return new Map(rows.map(({ id, offers }) => [id, offers]));
};

/** The client of each registration. */
const clientsById = new Map<number, CarefulClient>();

test('200 submissions of 20 clients for 50 places: fifty have a place, the others wait in the order of their submission', async () => {
  const submitAll = async (own: typeof athletes) => {
    const ids = [];
    for (const { client, profileId, applicationId } of own) {
      const body = { profile_id: profileId, application_id: applicationId, class: 'N2' };
      const { id } = (await client.send('POST', `/events/${eventId}/register`, { body, key: randomUUID() })).body.data;
      clientsById.set(id, client);
      ids.push(id);
    }
    return ids;
  };
  const byOwner = Map.groupBy(athletes, ({ ownerId }) => ownerId);
  const sent = await whileWorkerDies(1, Promise.all([...byOwner.values()].map(submitAll)));
  const [placed, line] = [await withStatus('submitted'), await withStatus('waiting')];
  expect([placed.length, line.length]).toEqual([places, athletes.length - places]);
  // An account sends one after another: none of its later ones has a place before an earlier one.
  for (const ids of sent) {
    const stands = ids.map((id) => line.indexOf(id));
    expect(stands).toEqual(stands.toSorted((left, right) => left - right));
  }
});

test('50 withdrawals at once beside a raised capacity, while the worker dies: sixty offers to the first, each once', async () => {
  const [placed, line] = [await withStatus('submitted'), await withStatus('waiting')];
  const withdrawals = placed.map((id) => clientsById.get(id)?.send('POST', `/event-registrations/${id}/withdraw`, { key: randomUUID() }));
  const body = {
    opens_at: new Date((await now()) - dayMs).toISOString(),
    classes: [{ name: 'N2', capacity: places + more, waiting_list: true, offer_hours: offerHours }],
  };
  const raised = organizer.send('PUT', `/events/${eventId}/registration-settings`, { body, key: randomUUID() });
  await whileWorkerDies(2, Promise.all([...withdrawals, raised]));
  expect(await withStatus('offered')).toEqual(line.slice(0, places + more).toSorted((left, right) => left - right));
  expect(await withStatus('waiting')).toEqual(line.slice(places + more));
  expect([...(await offersOf()).values()].every((offers) => offers === 1)).toBe(true);
});

test('sixty offers that run out in one second, while the worker dies: the next sixty, and the sixty at the end of the line', async () => {
  const [offered, line] = [await withStatus('offered'), await withStatus('waiting')];
  await travelTo((await now()) + offerHours * hourMs + 60_000);
  await whileWorkerDies(2, Promise.resolve());
  const isOver = async () => {
    const instant = new Date(await now());
    return faultStack.sql('select id from registrations where offered_until <= $1 limit 1', [instant]);
  };
  await waitFor(isOver, ({ length }) => length === 0, 'all offers that ran out to end');
  expect(await withStatus('offered')).toEqual(line.slice(0, places + more).toSorted((left, right) => left - right));
  const rest = await withStatus('waiting');
  expect(rest.slice(0, line.length - places - more)).toEqual(line.slice(places + more));
  expect(rest.slice(line.length - places - more).toSorted((left, right) => left - right)).toEqual(offered);
  expect([...(await offersOf()).values()].every((offers) => offers === 1)).toBe(true);
  const [accepting = 0] = await withStatus('offered');
  const accepted = await clientsById.get(accepting)?.send('POST', `/event-registrations/${accepting}/accept`, { key: randomUUID() });
  expect(accepted?.body.data.status).toBe('submitted');
  expect(watch.surprises).toEqual([]);
  // The licences stand without payments, as rows.
  const broken = await findBrokenInvariants(faultStack.stack.migrationDatabaseUrl);
  expect(broken.filter((one) => /registration|place|notif/.test(one))).toEqual([]);
});
