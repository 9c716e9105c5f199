import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { notificationKinds, notify } from '../../src/areas/notifications/index.ts';
import { commit } from '../../src/platform/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { openStream, type TestStream } from '../support/event-stream.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { waitFor } from '../support/wait-for.ts';
import { inParallel, localUrl, withPlatform } from './support/bench-stack.ts';
import { describeLatencies, percentile, timed } from './support/measure.ts';
import { peakMb, resetPeak, residentMb } from './support/process-memory.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const goals = { p95: 1_000, slower: 2, megabytes: 100 };
/** Each account has so many streams, as a person has tabs and devices. */
const streamsOfAccount = 2;
const perSecond = 50;
const quietMs = 20_000;
const pauseMs = 20;

/**
 * Many live streams while people are told something, `perSecond` a second: whether each event comes once and in order, how long after its
 * transaction began, what the API's memory does, and what requests beside it take, against as much told before while nobody listened. Linux
 * only.
 * @param count how many streams
 */
export async function benchStreams(stack: Stack, seconds: number, count: number): Promise<Verdict[]> {
  const pid = stack.processes.api.pid ?? 0;
  const url = localUrl(stack);
  return withPlatform(stack, async (platform) => {
    const people = await makeMembers(platform, url, Math.ceil(count / streamsOfAccount));
    const [asker] = people;
    if (!asker) throw new Error('no person was made');
    const unheard = { people, told: new Map<number, number[]>(), begunAt: new Map<number, number>() };
    const quiet = await ask(asker, () => tellAll(platform, unheard, (quietMs / 1000) * perSecond));
    const before = residentMb(pid);
    resetPeak(pid);
    const streams: { stream: TestStream; userId: number }[] = [];
    const wanted = people.flatMap((person) => Array.from({ length: streamsOfAccount }, () => person)).slice(0, count);
    await inParallel(wanted, 16, async (person) => {
      const stream = await openStream(person);
      streams.push({ stream, userId: person.userId });
      stampArrivals(stream);
    });
    const open = residentMb(pid);
    say(`  ${streams.length} streams of ${people.length} accounts; the API: ${before} MB without them, ${open} MB with them`);

    const told = new Map<number, number[]>(people.map(({ userId }) => [userId, []]));
    const begunAt = new Map<number, number>();
    const busy = await ask(asker, () => tellAll(platform, { people, told, begunAt }, seconds * perSecond));
    const expected = streams.reduce((sum, { userId }) => sum + (told.get(userId)?.length ?? 0), 0);
    const arrived = () => streams.reduce((sum, { stream }) => sum + stream.events.length, 0);
    await waitFor(arrived, (seen) => seen >= expected, `${expected} events`, 30_000);
    await setTimeout(1_000);
    const peak = peakMb(pid);
    const wrong = streams.filter(({ stream, userId }) => !isSame(stream.events.map(subjectOf), told.get(userId) ?? []));
    const latencies = streams.flatMap(({ stream }) =>
      arrivals(stream).map((at, index) => at - (begunAt.get(subjectOf(stream.events[index])) ?? Number.NaN)),
    );
    for (const { stream } of streams) stream.drop();
    say(
      `  ${begunAt.size} told in ${seconds} s, ${arrived()} events of ${expected} came; from the transaction's beginning to the client: ${describeLatencies(latencies)}`,
    );
    say(`  requests while nobody listened: ${describeLatencies(quiet)}`);
    say(`  requests beside the streams: ${describeLatencies(busy)}`);
    const slower = percentile(busy, 0.95) / percentile(quiet, 0.95);
    const p95 = percentile(latencies, 0.95);
    return [
      {
        what: `streams of ${count} that got every event once and in order`,
        goal: String(count),
        measured: `${streams.length - wrong.length} (${arrived()} events)`,
        isMet: wrong.length === 0 && streams.length === count && arrived() === expected,
      },
      {
        what: `from the beginning of a transaction to the client, ${perSecond} told a second, p95`,
        goal: `<= ${goals.p95} ms`,
        measured: `${p95.toFixed(0)} ms (p50 ${percentile(latencies, 0.5).toFixed(0)} ms)`,
        isMet: p95 <= goals.p95,
      },
      {
        what: `the API's memory with ${count} streams, at its peak against before`,
        goal: `<= ${goals.megabytes} MB more`,
        measured: `${peak - before} MB more (${peak} MB against ${before} MB)`,
        isMet: peak - before <= goals.megabytes,
      },
      {
        what: `p95 of requests beside ${count} streams, against as much told to nobody`,
        goal: `<= ${ratio(goals.slower)}`,
        measured: `${ratio(slower)} (${percentile(busy, 0.95).toFixed(1)} ms against ${percentile(quiet, 0.95).toFixed(1)} ms)`,
        isMet: slower <= goals.slower,
      },
    ];
  });
}

/** People who are signed in, each by a session of his own; nobody's password is hashed for it. */
async function makeMembers(platform: Platform, url: string, count: number): Promise<TestClient[]> {
  const db = databaseOf(platform.orm.em.fork());
  const people: TestClient[] = [];
  await inParallel(await insertUsers(db, count, new Date()), 8, async (userId) => {
    const client = new TestClient(url);
    await client.session();
    client.userId = userId;
    await db
      .updateTable('sessions')
      .set({ userId })
      .where('csrfToken', '=', client.csrf ?? '')
      .execute();
    people.push(client);
  });
  return people;
}

interface Telling {
  people: readonly TestClient[];
  /** Numbers of what was told, by account, in the order of their commits. */
  told: Map<number, number[]>;
  /** When the transaction of each began, by its number. */
  begunAt: Map<number, number>;
}

/** One account after the other is told something, `perSecond` a second; of one account in the order of the numbers. */
async function tellAll(platform: Platform, { people, told, begunAt }: Telling, count: number): Promise<void> {
  const kind = platform.extensions.of(notificationKinds).find((kinds) => kinds['document.approved'])?.['document.approved'];
  if (!kind) throw new Error('there is no such kind');
  const caller = { actor: { kind: 'process' }, requestId: randomUUID(), ip: null } as const;
  const startedAt = performance.now();
  const underWay: Promise<void>[] = [];
  for (let number = 1; number <= count; number += 1) {
    await setTimeout(Math.max(0, startedAt + (number * 1000) / perSecond - performance.now()));
    const { userId = 0 } = people[number % people.length] ?? {};
    told.get(userId)?.push(number);
    begunAt.set(number, performance.now());
    underWay.push(commit(platform, caller, (ctx) => notify(ctx, userId, kind, { kind: 'document', id: number })));
  }
  await Promise.all(underWay);
}

const arrivalTimes = new WeakMap<TestStream, number[]>();

/** Notes when each event of a stream arrives. */
function stampArrivals(stream: TestStream): void {
  const times: number[] = [];
  arrivalTimes.set(stream, times);
  stream.onEvent = () => times.push(performance.now());
}

function arrivals(stream: TestStream): number[] {
  return arrivalTimes.get(stream) ?? [];
}

function subjectOf(event: TestStream['events'][number] | undefined): number {
  return Number(event?.data.subject?.id);
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

/** What people ask while some work is done. @returns milliseconds of each */
async function ask(client: TestClient, work: () => Promise<unknown>): Promise<number[]> {
  const state = { isOver: false };
  const done = work().finally(() => (state.isOver = true));
  const millis: number[] = [];
  const paths = ['/account', '/notifications', '/profiles', '/notifications/unread', '/services/prices'];
  for (let index = 0; !state.isOver; index += 1) {
    millis.push(await timed(async () => client.expect(200, await client.get(paths[index % paths.length] ?? ''))));
    await setTimeout(pauseMs);
  }
  await done;
  return millis;
}
