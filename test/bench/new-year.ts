import { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { endOfYear, yearOf } from '../../src/platform/date-time.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { runRebuild } from './rebuild.ts';
import { makeDraft, makePeople, signInAdministrator, untilSettled } from './support/bench-people.ts';
import { localUrl } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { describeLatencies, percentile, timed } from './support/measure.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const clients = 2;
/** A client rests so long after each pair of commands: people do not come without a pause, and what is asked for is a quiet minute. */
const restMs = 250;
const minuteMs = 60_000;
/** People who are needed for a minute of commands at the most. */
export const peoplePerMinute = Math.ceil((minuteMs * clients) / restMs);
const goal = 3;
/** What the rebuild must do at least, so that the year does not end before its processes stand. */
const slowestRebuild = 100;
const warmUpMs = 10_000;

/** As SANDBOX demands; the stack of this benchmark needs a clock that can be set. */
export const newYearEnvironment = { SANDBOX: 'true' };

export interface Minute {
  millis: number[];
  /** Answers other than those that were to be expected, by status. */
  refused: Map<number, number>;
}

/**
 * The first of January: so many applications in force end in the same second. Their processes are started by the rebuild while the domain's
 * clock stands some minutes before New Year (timers run on real time from there), then the commands of a few people are measured in a quiet
 * minute, and in each minute after New Year. In the first two minutes the processes' own timers close applications; after them the sweeper
 * finds the others due and closes them at its own pace beside.
 */
export async function benchNewYear(stack: Stack, records: number, minutes: number): Promise<Verdict[]> {
  const administrator = await signInAdministrator(stack);
  // First, since these rows have their ids from 1 on.
  await insertCertificates(stack.migrationDatabaseUrl, records, 0, null);
  const people = await makePeople(stack, peoplePerMinute * (minutes + 2), {
    administratorId: administrator.id,
    isMedicalPending: () => true,
  });
  const database = new Client({ connectionString: stack.migrationDatabaseUrl });
  await database.connect();
  try {
    // Before the rebuild: what it starts waits for New Year without a turn.
    await untilSettled(stack);
    const newYearAt = await setClock(stack, (records / slowestRebuild) * 1000 + warmUpMs + minuteMs + 5_000);
    const startedAt = performance.now();
    await runRebuild(stack);
    say(`  ${records} processes started in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    const reviewer = new TestClient(localUrl(stack), administrator.key);
    const measure = (ms: number) => measureCommands(stack, people, reviewer, ms);
    await measure(warmUpMs);
    const quietMs = Math.min(minuteMs, newYearAt - Date.now() - 2_000);
    if (quietMs < minuteMs / 2) throw new Error('the rebuild took so long that New Year came before a quiet minute');
    const quiet = await measure(quietMs);
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
    const share = Math.max(...after.map(({ millis }) => percentile(millis, 0.95))) / percentile(quiet.millis, 0.95);
    const refusals = after.flatMap(({ refused }) => [...refused.values()]).reduce((sum, count) => sum + count, 0);
    return [
      {
        what: `commands while ${records} applications end, p95 of the worst minute against a quiet one`,
        goal: `<= ${goal.toFixed(2)}`,
        measured: ratio(share),
        isMet: share <= goal,
      },
      { what: 'of them not served (503 and the like)', goal: '0', measured: String(refusals), isMet: refusals === 0 },
    ];
  } finally {
    await database.end();
  }
}

/** Moves the domain's clock so that its year ends in so many milliseconds. @returns the real instant of it */
async function setClock(stack: Stack, leadMs: number): Promise<number> {
  const anyone = new TestClient(localUrl(stack));
  const now = new Date(endOfYear(yearOf(new Date())).getTime() - leadMs);
  const answer = anyone.expect(200, await anyone.put('/sandbox/clock', { now: now.toISOString() }));
  return endOfYear(yearOf(new Date())).getTime() - answer.body.data.offset_seconds * 1000;
}

/**
 * People who submit an application each while an administrator reviews a document of theirs; what is measured are these two commands.
 * @param rest after each pair of commands, ms
 */
export async function measureCommands(
  stack: Stack,
  people: InsertedPerson[],
  reviewer: TestClient,
  ms: number,
  rest: number = restMs,
): Promise<Minute> {
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
        await setTimeout(rest);
      }
    }),
  );
  return minute;
}

async function countClosed(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select count(*)::int from applications where status = 'closed'`);
  return rows[0]?.count ?? 0;
}

export function describeRefusals({ refused }: Minute): string {
  return refused.size === 0 ? 'all served' : [...refused].map(([status, count]) => `${count} answered ${status}`).join(', ');
}
