import { Client } from 'pg';
import { databaseOf } from '../../src/platform/database/database.ts';
import { dayOf, endOfDay } from '../../src/platform/date-time.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertAthletes, insertRegistrations } from '../support/factories/registrations.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { waitFor } from '../support/wait-for.ts';
import { describeRefusals, measureCommands, type Minute } from './new-year.ts';
import { makePeople, signInAdministrator, untilSettled } from './support/bench-people.ts';
import { localUrl, withPlatform } from './support/bench-stack.ts';
import { describeLatencies, percentile } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const minuteMs = 60_000;
const warmUpMs = 10_000;
/** Two clients, each with a rest after a pair of commands. */
const clients = 2;
const restMs = 1000;
const goal = 3;
const dayMs = 86_400_000;
const mostMs = 40 * minuteMs;
/** The sweeper leaves to a process's own timer what became due so lately, and here no process stands. */
const graceMs = 3 * minuteMs;

/**
 * A night on which the documents behind so many registrations expire: each document is marked, its application goes back to its owner, and
 * the registration's two sides are told, by processes that the sweeper starts at its pace. The commands of a few people are measured in a
 * quiet minute, and in each minute of the night until all are told.
 */
export async function benchLapseNight(stack: Stack, registrations: number, minutes: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, Math.ceil((clients * minuteMs * (minutes + 2)) / restMs), {
    administratorId: administrator.id,
    isMedicalPending: () => true,
  });
  const reviewer = new TestClient(localUrl(stack), administrator.key);
  const measure = (ms: number) => measureCommands(stack, people, reviewer, ms, restMs);
  await untilSettled(stack);
  await measure(warmUpMs);
  const quiet = await measure(minuteMs);
  say(`  quiet: ${describeLatencies(quiet.millis)}`);

  const today = dayOf(new Date());
  await withPlatform(stack, async (platform) => {
    const db = databaseOf(platform.orm.em.fork());
    const now = new Date();
    const [organizerId = 0, ...ownerIds] = await insertUsers(db, registrations + 1, now);
    const event = await eventFixtures(platform).event({ userId: organizerId }, { startsAt: new Date(now.getTime() + 20 * dayMs) });
    const athletes = await insertAthletes(db, ownerIds, now, { documentsExpireAt: today });
    const rows = athletes.map(({ applicationId, ownerId, profileId }) => ({
      ownerId,
      profileId,
      eventId: event.id,
      applicationIds: [applicationId],
      status: 'submitted' as const,
      dueAt: event.endsAt,
    }));
    await insertRegistrations(db, rows, now);
  });

  const database = new Client({ connectionString: stack.migrationDatabaseUrl });
  await database.connect();
  try {
    await setClock(stack, new Date(endOfDay(today).getTime() + graceMs));
    const night: Minute[] = [];
    let told = await countTold(database);
    for (let nth = 1; nth <= minutes && told.registrations < registrations; nth += 1) {
      const minute = await measure(minuteMs);
      told = await countTold(database);
      say(`  minute ${nth} of the night: ${describeLatencies(minute.millis)}; ${told.registrations} told, ${describeRefusals(minute)}`);
      night.push(minute);
    }
    // The others go on without anybody's commands, however long that takes a busy machine.
    if (told.registrations < registrations)
      told = await waitFor(
        () => countTold(database),
        (seen) => seen.registrations >= registrations,
        'the last to be told',
        mostMs,
      );
    const share = Math.max(...night.map(({ millis }) => percentile(millis, 0.95))) / percentile(quiet.millis, 0.95);
    const refusals = night.flatMap(({ refused }) => [...refused.values()]).reduce((sum, count) => sum + count, 0);
    const isOnce = told.registrations === registrations && told.notifications === 2 * registrations;
    return [
      {
        what: `commands while ${registrations} registrations lapse, p95 of the worst minute against a quiet one`,
        goal: `<= ${goal.toFixed(2)}`,
        measured: ratio(share),
        isMet: share <= goal,
      },
      { what: 'of them not served (503 and the like)', goal: '0', measured: String(refusals), isMet: refusals === 0 },
      {
        what: 'registrations told, and notifications of them',
        goal: `${registrations}, ${2 * registrations}`,
        measured: `${told.registrations}, ${told.notifications}`,
        isMet: isOnce,
      },
    ];
  } finally {
    await database.end();
  }
}

async function setClock(stack: Stack, now: Date): Promise<void> {
  const anyone = new TestClient(localUrl(stack));
  anyone.expect(200, await anyone.put('/sandbox/clock', { now: now.toISOString() }));
}

async function countTold(database: Client): Promise<{ registrations: number; notifications: number }> {
  const { rows } = await database.query<{ registrations: number; notifications: number }>(
    `select count(distinct subject_id)::int as registrations, count(*)::int as notifications from notifications where type = 'registration.lapsed'`,
  );
  return rows[0] ?? { registrations: 0, notifications: 0 };
}
