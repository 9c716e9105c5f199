import { Client } from 'pg';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { insertEndingEvents } from '../support/factories/crowds.ts';
import { waitFor } from '../support/wait-for.ts';
import { describeRefusals, measureCommands, type Minute, peoplePerMinute } from './new-year.ts';
import { makePeople, signInAdministrator, untilSettled } from './support/bench-people.ts';
import { localUrl, withPlatform } from './support/bench-stack.ts';
import { describeLatencies, percentile } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const minuteMs = 60_000;
const warmUpMs = 10_000;
const goal = 3;
const dayMs = 86_400_000;
const registrationsEach = 2;
const mostMs = 20 * minuteMs;
/** The sweeper leaves to a process's own timer what became due so lately, and here no process stands. */
const graceMs = 3 * minuteMs;

/**
 * A day on which so many events end, in the same second and with two registrations each: their organizers are reminded of the results, and
 * the processes of the registrations end. The commands of a few people are measured in a quiet minute, and in each minute after the end
 * until everybody is told.
 */
export async function benchEventsEnd(stack: Stack, events: number, minutes: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, peoplePerMinute * (minutes + 2), {
    administratorId: administrator.id,
    isMedicalPending: () => true,
  });
  const reviewer = new TestClient(localUrl(stack), administrator.key);
  const measure = (ms: number) => measureCommands(stack, people, reviewer, ms);
  await untilSettled(stack);
  await measure(warmUpMs);
  const quiet = await measure(minuteMs);
  say(`  quiet: ${describeLatencies(quiet.millis)}`);

  const endsAt = new Date(Date.now() + dayMs);
  await withPlatform(stack, (platform) =>
    insertEndingEvents(platform, { events, registrations: registrationsEach, startsAt: new Date(endsAt.getTime() - 3_600_000), endsAt }),
  );
  const database = new Client({ connectionString: stack.migrationDatabaseUrl });
  await database.connect();
  try {
    const anyone = new TestClient(localUrl(stack));
    anyone.expect(200, await anyone.put('/sandbox/clock', { now: new Date(endsAt.getTime() + graceMs).toISOString() }));
    const after: Minute[] = [];
    let told = await countTold(database);
    for (let nth = 1; nth <= minutes && (told.events < events || told.waiting > 0); nth += 1) {
      const minute = await measure(minuteMs);
      told = await countTold(database);
      say(
        `  minute ${nth} after: ${describeLatencies(minute.millis)}; ${told.events} told, ${told.waiting} wait, ${describeRefusals(minute)}`,
      );
      after.push(minute);
    }
    // The others go on without anybody's commands.
    const isOver = (seen: typeof told) => seen.events >= events && seen.waiting === 0;
    if (!isOver(told)) told = await waitFor(() => countTold(database), isOver, 'the last to be told and released', mostMs);
    const share = Math.max(...after.map(({ millis }) => percentile(millis, 0.95))) / percentile(quiet.millis, 0.95);
    const refusals = after.flatMap(({ refused }) => [...refused.values()]).reduce((sum, count) => sum + count, 0);
    return [
      {
        what: `commands while ${events} events end, p95 of the worst minute against a quiet one`,
        goal: `<= ${goal.toFixed(2)}`,
        measured: ratio(share),
        isMet: share <= goal,
      },
      { what: 'of them not served (503 and the like)', goal: '0', measured: String(refusals), isMet: refusals === 0 },
      {
        what: 'organizers told, notifications of it, registrations that still wait',
        goal: `${events}, ${events}, 0`,
        measured: `${told.events}, ${told.notifications}, ${told.waiting}`,
        isMet: told.events === events && told.notifications === events && told.waiting === 0,
      },
    ];
  } finally {
    await database.end();
  }
}

async function countTold(database: Client): Promise<{ events: number; notifications: number; waiting: number }> {
  const { rows } = await database.query<{ events: number; notifications: number; waiting: number }>(
    `select count(distinct subject_id)::int as events, count(*)::int as notifications,
       (select count(*)::int from registrations where due_at is not null) as waiting
     from notifications where type = 'event_stage.reminder'`,
  );
  return rows[0] ?? { events: 0, notifications: 0, waiting: 0 };
}
