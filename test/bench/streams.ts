import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { notificationKinds, notify } from '../../src/areas/notifications/index.ts';
import { commit } from '../../src/platform/commands/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { openStream, type TestStream } from '../support/event-stream.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { waitFor } from '../support/wait-for.ts';
import { inParallel, localUrl, withPlatform } from './support/bench-stack.ts';
import {
  atMost,
  describeLatencies,
  peakMb,
  percentile,
  residentMb,
  resetPeak,
  say,
  timeRequestsDuring,
  type Verdict,
} from './support/measure.ts';

const goals = { p95: 1_000, megabytes: 100 };
/** As a person has tabs and devices. */
const streamsOfAccount = 2;
const perSecond = 50;
const quietMs = 20_000;
const requests = ['/account', '/notifications', '/profiles', '/notifications/unread', '/services/prices'];

/**
 * `streams`: many live streams during notifications at `perSecond`: whether each event arrives once and in order, its latency from the
 * beginning of its transaction, the API's memory, and the latency of other requests, to as many notifications without streams. Linux only.
 *
 * @param count number of streams
 */
export async function benchStreams(stack: Stack, seconds: number, count: number): Promise<Verdict[]> {
  const pid = stack.processes.api.pid ?? 0;
  const url = localUrl(stack);
  return withPlatform(stack, async (platform) => {
    const people = await makeMembers(platform, url, Math.ceil(count / streamsOfAccount));
    const [client] = people;
    if (!client) throw new Error('no person was made');
    const quiet = await timeRequestsDuring(client, requests, () => notifyAll(platform, people, (quietMs / 1000) * perSecond));
    const before = residentMb(pid);
    resetPeak(pid);
    const streams: OpenStream[] = [];
    const wanted = people.flatMap((person) => Array.from({ length: streamsOfAccount }, () => person)).slice(0, count);
    await inParallel(wanted, 16, async (person) => {
      const stream = await openStream(person);
      const arrivedAt: number[] = [];
      stream.onEvent = () => arrivedAt.push(performance.now());
      streams.push({ stream, userId: person.userId, arrivedAt });
    });
    say(`  ${streams.length} streams of ${people.length} accounts; the API: ${before} MB without them, ${residentMb(pid)} MB with them`);

    let sent: Notified = { numbers: new Map(), begunAt: new Map() };
    const busy = await timeRequestsDuring(client, requests, async () => {
      sent = await notifyAll(platform, people, seconds * perSecond);
    });
    const { numbers, begunAt } = sent;
    const expected = streams.reduce((sum, { userId }) => sum + (numbers.get(userId)?.length ?? 0), 0);
    const arrived = () => streams.reduce((sum, { stream }) => sum + stream.events.length, 0);
    await waitFor(arrived, (seen) => seen >= expected, `${expected} events`, 30_000);
    await setTimeout(1_000);
    const peak = peakMb(pid);
    const wrong = streams.filter(({ stream, userId }) => !isSame(stream.events.map(subjectOf), numbers.get(userId) ?? []));
    const latencies = streams.flatMap(({ stream, arrivedAt }) =>
      arrivedAt.map((at, index) => at - (begunAt.get(subjectOf(stream.events[index])) ?? Number.NaN)),
    );
    for (const { stream } of streams) stream.drop();
    say(
      `  ${begunAt.size} notifications in ${seconds} s, ${arrived()} events of ${expected} arrived; from the beginning of the transaction to the client: ${describeLatencies(latencies)}`,
    );
    say(`  requests without streams: ${describeLatencies(quiet)}`);
    say(`  requests beside the streams: ${describeLatencies(busy)}`);
    const p95 = percentile(latencies, 0.95);
    const [busyP95, quietP95] = [percentile(busy, 0.95), percentile(quiet, 0.95)];
    return [
      {
        what: `streams of ${count} that received every event once and in order`,
        goal: String(count),
        measured: `${streams.length - wrong.length} (${arrived()} events)`,
        isMet: wrong.length === 0 && streams.length === count && arrived() === expected,
      },
      {
        what: `from the beginning of a transaction to the client, ${perSecond} notifications a second, p95`,
        goal: `<= ${goals.p95} ms`,
        measured: `${p95.toFixed(0)} ms (p50 ${percentile(latencies, 0.5).toFixed(0)} ms)`,
        isMet: p95 <= goals.p95,
      },
      {
        what: `the API's peak memory with ${count} streams, to before`,
        goal: `<= ${goals.megabytes} MB more`,
        measured: `${peak - before} MB more (${peak} MB to ${before} MB)`,
        isMet: peak - before <= goals.megabytes,
      },
      atMost(
        2,
        `p95 of requests beside ${count} streams, to as many notifications without streams`,
        busyP95 / quietP95,
        ` (${busyP95.toFixed(1)} ms to ${quietP95.toFixed(1)} ms)`,
      ),
    ];
  });
}

interface OpenStream {
  stream: TestStream;
  userId: number;
  /** Of each event, in the order of arrival. */
  arrivedAt: number[];
}

/** Makes signed-in people, each with a session of their own, without hashing passwords. */
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

interface Notified {
  /** Numbers of the notifications by account, in the order of their commits. */
  numbers: Map<number, number[]>;
  /** Begin of each notification's transaction by its number. */
  begunAt: Map<number, number>;
}

/** Notifies one account after another, `perSecond` a second; an account's notifications are in the order of their numbers. */
async function notifyAll(platform: Platform, people: readonly TestClient[], count: number): Promise<Notified> {
  const kind = platform.extensions.of(notificationKinds).find((kinds) => kinds['document.approved'])?.['document.approved'];
  if (!kind) throw new Error('there is no such kind');
  const caller = { actor: { kind: 'process' }, requestId: randomUUID(), ip: null } as const;
  const numbers = new Map<number, number[]>(people.map(({ userId }) => [userId, []]));
  const begunAt = new Map<number, number>();
  const startedAt = performance.now();
  const commits: Promise<void>[] = [];
  for (let number = 1; number <= count; number += 1) {
    await setTimeout(Math.max(0, startedAt + (number * 1000) / perSecond - performance.now()));
    const { userId = 0 } = people[number % people.length] ?? {};
    numbers.get(userId)?.push(number);
    begunAt.set(number, performance.now());
    commits.push(commit(platform, caller, (ctx) => notify(ctx, userId, kind, { kind: 'document', id: number })));
  }
  await Promise.all(commits);
  return { numbers, begunAt };
}

function subjectOf(event: TestStream['events'][number] | undefined): number {
  return Number(event?.data.subject?.id);
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
