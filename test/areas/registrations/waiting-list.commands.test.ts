import { executeInternal } from '../../../activities/execute.ts';
import { registrationProcess } from '../../../src/areas/registrations/process.ts';
import { acceptOffer } from '../../../src/areas/registrations/waiting-list/accept-offer.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { countStatements } from '../../support/count-statements.ts';
import { fixturesIn, type Member } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertUsers } from '../../support/factories/rows.ts';
import { insertAthletes, insertRegistrations } from '../../support/factories/registrations.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** Steps of the waiting list without workers: the tests run them, at once and twice. */
const noon = new Date('2026-06-15T12:00:00+05:00');
const dates = { startsAt: new Date('2026-08-01T10:00:00+05:00'), endsAt: new Date('2026-08-02T18:00:00+05:00') };
let platform: Platform;
let close: () => Promise<void>;
let organizer: Member;
let now = noon;

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  platform = { ...started.platform, outbox: relayOnlyOutbox, clock: { sandbox: false, now: async () => now } };
  organizer = await fixturesIn(platform).person();
});
afterAll(() => close());
beforeEach(() => {
  now = noon;
});

const db = () => databaseOf(platform.orm.em.fork());
const reconsider = (id: number) => executeInternal(platform, registrationProcess, id);

/** A class whose places are all offered until an hour from now, with a line. */
async function line(offered: number, waiting: number) {
  const limit = { name: 'N1', capacity: offered, waitingList: true, offerHours: 48 };
  const { id: eventId } = await eventFixtures(platform).event(organizer, { ...dates, settings: { classes: ['N1'], classLimits: [limit] } });
  const owners = await insertUsers(db(), offered + waiting, noon);
  const athletes = await insertAthletes(db(), owners, noon);
  const until = new Date(noon.getTime() + 3_600_000);
  const ids = await insertRegistrations(
    db(),
    athletes.map(({ ownerId, profileId }, index) => ({
      eventId,
      ownerId,
      profileId,
      class: 'N1',
      status: index < offered ? ('offered' as const) : ('waiting' as const),
      dueAt: until,
      columns: index < offered ? { offeredUntil: until } : { queuedAt: new Date(noon.getTime() + index) },
    })),
    noon,
  );
  const read = async () => {
    const rows = await db().selectFrom('registrations').selectAll().where('eventId', '=', eventId).orderBy('id').execute();
    return new Map(rows.map((row) => [row.id, row]));
  };
  return { ids, owners, until, read };
}

test('forty offers that run out in one second are offered to the next forty, in order, each once', async () => {
  const { ids, until, read } = await line(40, 50);
  now = new Date(until.getTime() + 500);
  const ended = ids.slice(0, 40);
  // Each activity may run twice, also at once.
  await Promise.all([...ended, ...ended.toReversed()].map(reconsider));
  const rows = await read();
  const statuses = (some: readonly number[]) => some.map((id) => rows.get(id)?.status);
  expect(statuses(ids.slice(40, 80))).toEqual(Array.from({ length: 40 }, () => 'offered'));
  expect(statuses(ids.slice(80))).toEqual(Array.from({ length: 10 }, () => 'waiting'));
  expect(statuses(ended)).toEqual(Array.from({ length: 40 }, () => 'waiting'));
  const behind = ids.slice(80).map((id) => rows.get(id)?.queuedAt ?? now);
  expect(ended.every((id) => behind.every((at) => at < (rows.get(id)?.queuedAt ?? at)))).toBe(true);
  const told = await db()
    .selectFrom('notifications')
    .select(['subjectId', 'type'])
    .where('subjectId', 'in', ids.map(String))
    .where('type', 'in', ['registration.offered', 'registration.offer_expired'])
    .execute();
  const expected = [
    ...ended.map((id) => `${id} registration.offer_expired`),
    ...ids.slice(40, 80).map((id) => `${id} registration.offered`),
  ];
  expect(told.map(({ subjectId, type }) => `${subjectId} ${type}`).toSorted()).toEqual(expected.toSorted());
});

test('an offer cannot be accepted from its last instant on, though its process has not run', async () => {
  const { ids, owners, until, read } = await line(1, 1);
  const [id = 0] = ids;
  const caller = {
    actor: { kind: 'user' as const, userId: owners[0] ?? 0, isAdministrator: false, impersonatedUserId: null },
    requestId: 'late',
    ip: null,
  };
  now = until;
  await expect(commit(platform, caller, (ctx) => acceptOffer(ctx, id))).rejects.toMatchObject({ code: 'invalid_state' });
  expect((await read()).get(id)?.status).toBe('offered');
});

test('the next is found by the same number of statements in a line of two and of two hundred', async () => {
  const counts = [];
  for (const waiting of [2, 200]) {
    const { ids, until } = await line(1, waiting);
    now = new Date(until.getTime() + 500);
    counts.push((await countStatements(() => reconsider(ids[0] ?? 0))).statements.length);
    now = noon;
  }
  expect(counts[0]).toBe(counts[1]);
});
