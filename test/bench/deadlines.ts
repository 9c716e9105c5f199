import type { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { databaseOf } from '../../src/platform/database/database.ts';
import { dayOf, endOfDay, endOfYear, yearOf } from '../../src/platform/time/date-time.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { insertEndingEvents } from '../support/factories/crowds.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertAthletes, insertRegistrations } from '../support/factories/registrations.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { waitFor } from '../support/wait-for.ts';
import { atMost, describeLatencies, none, percentile, say, secondsSince, timed, type Verdict } from './measure.ts';
import { runRebuild } from './processes.ts';
import { insertCertificates, localUrl, makeDraft, makePeople, makeReviewer, untilSettled, withDatabase, withPlatform } from './stack.ts';

/** These benchmarks set the clock, which needs the sandbox. */
export const deadlineEnvironment = { SANDBOX: 'true' };

const goal = 3;
const clients = 2;
const minuteMs = 60_000;
const dayMs = 86_400_000;
const warmUpMs = 10_000;
/** The sweeper leaves a record that became due this recently to its process's timer, and these records have no process. */
const graceMs = 3 * minuteMs;

interface Minute {
  millis: number[];
  /** Number of unexpected responses by status. */
  refused: Map<number, number>;
}

type Measure = (ms: number) => Promise<Minute>;

/**
 * Prepares people for so many minutes of commands, and two minutes more. Each submits an application while an administrator reviews one of
 * their documents; the measurement has these two commands.
 *
 * @param restMs pause of a client after each pair of commands
 */
async function prepareCommands(stack: Stack, minutes: number, restMs = 250): Promise<Measure> {
  const people = await makePeople(stack, Math.ceil((clients * minuteMs) / restMs) * (minutes + 2), {
    isMedicalPending: () => true,
  });
  const reviewer = await makeReviewer(stack);
  await untilSettled(stack);
  return async (ms) => {
    const minute: Minute = { millis: [], refused: new Map() };
    const until = Date.now() + ms;
    const send = async (client: TestClient, path: string, body?: unknown) => {
      let status = 0;
      const millis = await timed(async () => ({ status } = await client.post(path, body, { 'idempotency-key': randomUUID() })));
      minute.millis.push(millis);
      if (status !== 200) minute.refused.set(status, (minute.refused.get(status) ?? 0) + 1);
    };
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (Date.now() < until) {
          const person = people.pop();
          if (!person) throw new RangeError('prepare more people');
          const { id, client } = await makeDraft(stack, person);
          await send(client, `/applications/${id}/submit`);
          await send(reviewer, '/admin/review', { kind: 'document', id: person.documentIds[1], decision: 'approve' });
          await setTimeout(restMs);
        }
      }),
    );
    return minute;
  };
}

async function measureQuiet(measure: Measure): Promise<Minute> {
  await measure(warmUpMs);
  const quiet = await measure(minuteMs);
  say(`  quiet: ${describeLatencies(quiet.millis)}`);
  return quiet;
}

/** Measures minutes until all work is done, at most `minutes`; then waits for the rest of the work without commands. */
async function measureUntilDone<T>(
  measure: Measure,
  minutes: number,
  work: { count: () => Promise<T>; isDone: (seen: T) => boolean; describe: (seen: T) => string; longestMs: number },
): Promise<{ after: Minute[]; seen: T }> {
  const after: Minute[] = [];
  let seen = await work.count();
  while (after.length < minutes && !work.isDone(seen)) {
    const minute = await measure(minuteMs);
    after.push(minute);
    seen = await work.count();
    say(`  minute ${after.length}: ${describeLatencies(minute.millis)}; ${work.describe(seen)}, ${describeRefusals(minute)}`);
  }
  return { after, seen: work.isDone(seen) ? seen : await waitFor(work.count, work.isDone, 'the rest of the work', work.longestMs) };
}

function judgeCommands(during: string, quiet: Minute, after: readonly Minute[]): Verdict[] {
  const share = Math.max(...after.map(({ millis }) => percentile(millis, 0.95))) / percentile(quiet.millis, 0.95);
  const refusals = after.flatMap(({ refused }) => [...refused.values()]).reduce((sum, count) => sum + count, 0);
  return [
    atMost(goal, `commands while ${during}, p95 of the worst minute, to a quiet one`, share),
    none('commands refused (503 and others)', refusals),
  ];
}

function describeRefusals({ refused }: Minute): string {
  return refused.size === 0 ? 'none refused' : [...refused].map(([status, count]) => `${count} refused with ${status}`).join(', ');
}

/** Sets the domain's clock. @returns its offset from real time, milliseconds */
async function setClock(stack: Stack, now: Date): Promise<number> {
  const client = new TestClient(localUrl(stack));
  return client.expect(200, await client.put('/sandbox/clock', { now: now.toISOString() })).body.data.offset_seconds * 1000;
}

/** Lowest assumed rate of the rebuild: the year must not end before all processes run. */
const slowestRebuild = 100;

/**
 * `new-year`: many applications end in the same second. The rebuild starts their processes while the domain's clock is some minutes before
 * New Year; their timers run in real time. Measures commands in a quiet minute and in each minute after New Year. First the timers close
 * applications; after two minutes the sweeper closes the others too, at its own rate.
 */
export async function benchNewYear(stack: Stack, records: number, minutes: number): Promise<Verdict[]> {
  // First, because these rows have ids from 1.
  await insertCertificates(stack.migrationDatabaseUrl, records, 0, null);
  // Before the rebuild: its processes wait for New Year without a workflow task.
  const measure = await prepareCommands(stack, minutes);
  return withDatabase(stack.migrationDatabaseUrl, async (database) => {
    const leadMs = (records / slowestRebuild) * 1000 + warmUpMs + minuteMs + 5_000;
    const yearEnd = endOfYear(yearOf(new Date())).getTime();
    const newYearAt = yearEnd - (await setClock(stack, new Date(yearEnd - leadMs)));
    const startedAt = performance.now();
    await runRebuild(stack);
    say(`  ${records} processes started in ${secondsSince(startedAt)} s`);
    if (newYearAt - Date.now() < warmUpMs + minuteMs / 2) throw new Error('the rebuild took so long that no quiet minute is left');
    await measure(warmUpMs);
    const quiet = await measure(Math.min(minuteMs, newYearAt - Date.now() - 2_000));
    say(`  quiet: ${describeLatencies(quiet.millis)}`);
    if ((await countClosed(database)) > 0) throw new Error('applications were closed before New Year');
    await setTimeout(Math.max(0, newYearAt - Date.now()));
    const after: Minute[] = [];
    for (let nth = 1; nth <= minutes; nth += 1) {
      const closedBefore = await countClosed(database);
      const minute = await measure(minuteMs);
      const closed = (await countClosed(database)) - closedBefore;
      say(`  minute ${nth} of the year: ${describeLatencies(minute.millis)}; ${closed} closed, ${describeRefusals(minute)}`);
      after.push(minute);
    }
    return judgeCommands(`${records} applications end`, quiet, after);
  });
}

async function countClosed(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select count(*)::int from applications where status = 'closed'`);
  return rows[0]?.count ?? 0;
}

/**
 * `lapse-night`: the documents of many registrations expire on one night. Processes that the sweeper starts at its rate expire each
 * document, return its application and notify both sides of the registration. Measures commands in a quiet minute and in each minute until
 * all are notified.
 */
export async function benchLapseNight(stack: Stack, registrations: number, minutes: number): Promise<Verdict[]> {
  const measure = await prepareCommands(stack, minutes, 1000);
  const quiet = await measureQuiet(measure);
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
  return withDatabase(stack.migrationDatabaseUrl, async (database) => {
    await setClock(stack, new Date(endOfDay(today).getTime() + graceMs));
    const { after, seen } = await measureUntilDone(measure, minutes, {
      count: () => countLapsed(database),
      isDone: (lapsed) => lapsed.registrations >= registrations,
      describe: (lapsed) => `${lapsed.registrations} notified`,
      longestMs: 40 * minuteMs,
    });
    return [
      ...judgeCommands(`${registrations} registrations lapse`, quiet, after),
      {
        what: 'registrations notified, and their notifications',
        goal: `${registrations}, ${2 * registrations}`,
        measured: `${seen.registrations}, ${seen.notifications}`,
        isMet: seen.registrations === registrations && seen.notifications === 2 * registrations,
      },
    ];
  });
}

async function countLapsed(database: Client): Promise<{ registrations: number; notifications: number }> {
  const { rows } = await database.query<{ registrations: number; notifications: number }>(
    `select count(distinct subject_id)::int as registrations, count(*)::int as notifications from notifications where type = 'registration.lapsed'`,
  );
  return rows[0] ?? { registrations: 0, notifications: 0 };
}

/**
 * `events-end`: many events with two registrations each end in the same second. Their organizers are reminded of the results, and the
 * processes of the registrations end. Measures commands in a quiet minute and in each minute after the end until all are notified.
 */
export async function benchEventsEnd(stack: Stack, events: number, minutes: number): Promise<Verdict[]> {
  const measure = await prepareCommands(stack, minutes);
  const quiet = await measureQuiet(measure);
  const endsAt = new Date(Date.now() + dayMs);
  await withPlatform(stack, (platform) =>
    insertEndingEvents(platform, { events, registrations: 2, startsAt: new Date(endsAt.getTime() - 3_600_000), endsAt }),
  );
  return withDatabase(stack.migrationDatabaseUrl, async (database) => {
    await setClock(stack, new Date(endsAt.getTime() + graceMs));
    const { after, seen } = await measureUntilDone(measure, minutes, {
      count: () => countEnded(database),
      isDone: (ended) => ended.events >= events && ended.waiting === 0,
      describe: (ended) => `${ended.events} notified, ${ended.waiting} registrations wait`,
      longestMs: 20 * minuteMs,
    });
    return [
      ...judgeCommands(`${events} events end`, quiet, after),
      {
        what: 'organizers notified, their notifications, registrations that still wait',
        goal: `${events}, ${events}, 0`,
        measured: `${seen.events}, ${seen.notifications}, ${seen.waiting}`,
        isMet: seen.events === events && seen.notifications === events && seen.waiting === 0,
      },
    ];
  });
}

async function countEnded(database: Client): Promise<{ events: number; notifications: number; waiting: number }> {
  const { rows } = await database.query<{ events: number; notifications: number; waiting: number }>(
    `select count(distinct subject_id)::int as events, count(*)::int as notifications,
       (select count(*)::int from registrations where due_at is not null) as waiting
     from notifications where type = 'event_stage.reminder'`,
  );
  return rows[0] ?? { events: 0, notifications: 0, waiting: 0 };
}
