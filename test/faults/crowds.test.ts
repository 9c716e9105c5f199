import { databaseOf } from '../../src/platform/database/database.ts';
import { endOfDay } from '../../src/platform/time/date-time.ts';
import type { TestClient } from '../support/client.ts';
import { insertEndingEvents } from '../support/factories/crowds.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertAthletes, insertRegistrations } from '../support/factories/registrations.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

/** Many competitions that end together, and many registrations that lapse in one night. `npm run bench` measures thousands of them. */

const dayMs = 86_400_000;
const year = new Date().getFullYear() + 1;
const june = (day: number) => new Date(Date.UTC(year, 5, day, 7));
let api: TestApi;
let sweeper: TestClient;
let organizer: TestClient;
let ownEventId: number;

beforeAll(async () => {
  api = await startTestApi();
  await api.travelTo(june(1).toISOString());
  sweeper = api.browser();
  organizer = await api.user('Organizer');
  ({ id: ownEventId } = await eventFixtures(api.platform).event(organizer, { startsAt: june(28), settings: null }));
});
afterAll(() => api.close());

/** Moves the clock and sweeps while another client continues. @returns what the sweep woke */
async function sweepUnderWork(instant: Date): Promise<Record<string, number>> {
  sweeper.expect(200, await sweeper.put('/sandbox/clock', { now: instant.toISOString() }));
  const sweeping = { isOver: false };
  const swept = sweeper.post('/sandbox/sweep').finally(() => {
    sweeping.isOver = true;
  });
  do {
    const title = `Алатау ралли ${Math.random()}`;
    organizer.expect(200, await organizer.patch(`/events/${ownEventId}`, { title }));
  } while (!sweeping.isOver);
  return sweeper.expect(200, await swept).body.data.driven;
}

const notifiedOf = (type: string) =>
  api.sql<{ user_id: number; subject_id: string }>('select user_id, subject_id from notifications where type = $1', [type]);

test('many events end in one second: each organizer is reminded once, each registration ends, and nothing is processed twice', async () => {
  const crowd = { events: 24, registrations: 2, startsAt: june(9), endsAt: june(10) };
  const { eventIds, registrationIds } = await insertEndingEvents(api.platform, crowd);
  const driven = await sweepUnderWork(new Date(june(10).getTime() + 1000));
  expect(driven).toMatchObject({ due_event: eventIds.length, due_registration: registrationIds.length });
  const reminded = await notifiedOf('event_stage.reminder');
  expect(reminded.map(({ subject_id: id }) => Number(id)).sort((left, right) => left - right)).toEqual(eventIds);
  expect(new Set(reminded.map(({ user_id: id }) => id)).size).toBe(eventIds.length);
  const entries = await api.sql("select 1 from audit_events where action = 'event.reminded'");
  expect(entries).toHaveLength(eventIds.length);
  expect(await api.sql('select id from registrations where due_at is not null')).toEqual([]);
  const again = await sweepUnderWork(new Date(june(10).getTime() + dayMs));
  expect([again['due_event'], again['due_registration']]).toEqual([0, 0]);
  expect(await notifiedOf('event_stage.reminder')).toHaveLength(eventIds.length);
});

test('many registrations lapse in one night: both sides are notified once, and not again on the next day', async () => {
  const db = databaseOf(api.platform.orm.em.fork());
  const at = june(12);
  await sweepUnderWork(at);
  const owners = await insertUsers(db, 30, at);
  const event = await eventFixtures(api.platform).event(await api.user('Organizer of many'), { startsAt: june(20) });
  const athletes = await insertAthletes(db, owners, at, { documentsExpireAt: `${year}-06-13` });
  const rows = athletes.map(({ applicationId, ownerId, profileId }) => ({
    ownerId,
    profileId,
    eventId: event.id,
    applicationIds: [applicationId],
    status: 'submitted' as const,
    dueAt: endOfDay(`${year}-06-13`),
  }));
  const registrationIds = await insertRegistrations(db, rows, at);
  await sweepUnderWork(new Date(endOfDay(`${year}-06-13`).getTime() + 1000));
  const lapsed = await notifiedOf('registration.lapsed');
  expect(lapsed).toHaveLength(2 * registrationIds.length);
  expect(new Set(lapsed.map(({ user_id: user, subject_id: id }) => `${user} ${id}`)).size).toBe(lapsed.length);
  const [statuses] = await api.sql('select count(*)::int as lapsed from registrations where ineligible_since is not null and status = $1', [
    'submitted',
  ]);
  expect(statuses).toEqual({ lapsed: registrationIds.length });
  const again = await sweepUnderWork(new Date(endOfDay(`${year}-06-14`).getTime()));
  expect(again['due_registration']).toBe(0);
  expect(await notifiedOf('registration.lapsed')).toHaveLength(lapsed.length);
});
