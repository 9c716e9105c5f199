import { PDFDocument, PDFRawStream } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { notificationKinds, notify } from '../../src/areas/notifications/index.ts';
import { commit } from '../../src/platform/commands/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { captchaAnswer } from '../support/identities/captcha-answer.ts';
import { TestClient } from '../support/client.ts';
import { openStream, type TestStream } from '../support/event-stream.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  besideQuiet,
  describeLatencies,
  peakMb,
  percentile,
  resetPeak,
  residentMb,
  say,
  secondsSince,
  timeRequestsDuring,
  type Verdict,
  within,
} from './measure.ts';
import { applyAndPay, inParallel, localUrl, makePeople, withPlatform } from './stack.ts';

const files = 50;
/** More than four minutes need. */
const lives = 4_000;
const goalMb = 400;
const limitBytes = 20 * 1024 * 1024;

/** What the steps need. */
export const memoryEnvironment = { RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: '1000000', CAPTCHA_FIXED_ANSWER: captchaAnswer };

/** What the API holds after each kind of a day's work, then its peak while fifty people upload and download a file of 20 MB. Linux only. */
export async function benchMemory(stack: Stack): Promise<Verdict[]> {
  const pid = stack.processes.api.pid ?? 0;
  const people = await makePeople(stack, files);
  for (const { what, run } of dailyWork(stack, people, await makePeople(stack, lives))) {
    await run();
    say(`  ${what}: ${residentMb(pid)} MB`);
  }
  const afterWork = residentMb(pid);
  const clients = people.map(({ key }) => new TestClient(localUrl(stack), key));
  const content = await makeLargePdf();
  say(`  before: ${residentMb(pid)} MB; each file has ${(content.length / 1024 / 1024).toFixed(1)} MB`);
  resetPeak(pid);
  const uploaded: { client: TestClient; id: string }[] = [];
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      const { id } = client.expect(201, await client.upload(content, 'identity', 'large.pdf')).body.data;
      uploaded.push({ client, id });
    }),
  );
  say(`  uploaded ${files} in ${secondsSince(startedAt)} s, all at once: peak ${peakMb(pid)} MB`);
  const downloadedAt = performance.now();
  await Promise.all(
    uploaded.map(async ({ client, id }) => {
      const { status, bytes } = await client.get(`/files/${id}?download=1`);
      if (status !== 200 || bytes.length !== content.length) throw new Error(`a download returned ${status} and ${bytes.length} bytes`);
    }),
  );
  const peak = peakMb(pid);
  say(`  downloaded ${files} in ${secondsSince(downloadedAt)} s: peak ${peak} MB, now ${residentMb(pid)} MB`);
  return [
    below(goalMb, 'API memory after a day of work, MB', afterWork),
    below(goalMb, 'API memory with fifty 20 MB files at once, MB', peak),
  ];
}

/** A scan of the largest size: one page and an image that cannot be compressed. */
async function makeLargePdf(): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage([420, 595]).drawText('A large scan', { x: 40, y: 500, size: 18 });
  const pixels = randomBytes(limitBytes - 64 * 1024);
  document.context.register(PDFRawStream.of(document.context.obj({ Length: pixels.length }), pixels));
  return Buffer.from(await document.save());
}

function below(goal: number, what: string, megabytes: number): Verdict {
  return { what, goal: `< ${goal}`, measured: String(megabytes), isMet: megabytes < goal };
}

const atOnce = 8;
const batch = 400;
/** Until then, the garbage of the start is collected. */
const restMs = 20_000;

/** `worker-memory`: memory of a worker for all queues, at rest and after some minutes of lifecycles, eight at a time. Linux only. */
export async function benchWorkerMemory(stack: Stack, minutes: number): Promise<Verdict[]> {
  const pid = stack.processes.worker.pid ?? 0;
  const people: InsertedPerson[] = [];
  const prepare = async () => void people.push(...(await makePeople(stack, batch)));
  await prepare();
  await setTimeout(restMs);
  const atRest = residentMb(pid);
  say(`  at rest: ${atRest} MB`);
  resetPeak(pid);
  const until = Date.now() + minutes * 60_000;
  let lifecycles = 0;
  let preparing = Promise.resolve();
  let isPreparing = false;
  const run = async () => {
    while (Date.now() < until) {
      if (people.length < batch / 2 && !isPreparing) {
        isPreparing = true;
        preparing = prepare().finally(() => (isPreparing = false));
      }
      if (people.length === 0) await preparing;
      await applyAndPay(stack, people.shift());
      lifecycles += 1;
    }
  };
  const progress = setInterval(() => say(`  after ${lifecycles} lifecycles: ${residentMb(pid)} MB`), 60_000);
  await Promise.all(Array.from({ length: atOnce }, run)).finally(() => clearInterval(progress));
  await preparing;
  const after = residentMb(pid);
  if (stack.processes.worker.pid !== pid) throw new Error('the worker was restarted during the measurement');
  say(
    `  after ${minutes} minutes, ${lifecycles} lifecycles (${(lifecycles / (minutes * 60)).toFixed(1)} a second): ${after} MB, peak ${peakMb(pid)} MB`,
  );
  return [
    below(350, 'worker at rest, MB', atRest),
    below(700, `worker after ${minutes} minutes of lifecycles, ${atOnce} at a time, MB`, after),
  ];
}

/** What a start leaves behind is collected by then. */
const settleMs = 15_000;
const lifetimes = { minutes: 4, atOnce: 8 };

/** One kind of work of a day, in the order in which it is measured. */
interface Step {
  what: string;
  run: () => Promise<void>;
}

/** Work that leaves memory behind in the API. The lives need `livesPeople`, each used once. */
function dailyWork(stack: Stack, people: readonly InsertedPerson[], livesPeople: InsertedPerson[]): Step[] {
  const url = localUrl(stack);
  return [
    { what: 'at rest', run: () => setTimeout(settleMs) },
    { what: '600 captchas', run: () => drawCaptchas(url, 600) },
    {
      what: '60 registrations',
      run: () =>
        inParallel(range(60), 6, (index) => new TestClient(url).register(`memory-${index}@example.test`, 'Measured Person', password)),
    },
    { what: '120 uploads of images', run: () => uploadImages(url, people, 120) },
    {
      what: '6,000 reads',
      run: () =>
        inParallel(range(6_000), 16, async (index) => {
          const client = new TestClient(url, people[index % people.length]?.key);
          client.expect(200, await client.get(readPaths[index % readPaths.length] ?? '/account'));
        }),
    },
    { what: '600 more captchas', run: () => drawCaptchas(url, 600) },
    {
      what: `${lifetimes.minutes} minutes of lives`,
      async run() {
        const until = Date.now() + lifetimes.minutes * 60_000;
        await inParallel(range(lifetimes.atOnce), lifetimes.atOnce, async () => {
          while (Date.now() < until && livesPeople.length > 0) await applyAndPay(stack, livesPeople.shift());
        });
      },
    },
  ];
}

const password = 'a-long-enough-secret';
const readPaths = ['/account', '/applications', '/files', '/wallet', '/catalog'];

async function drawCaptchas(url: string, count: number): Promise<void> {
  const sessions = 40;
  await inParallel(range(sessions), 10, async () => {
    const client = new TestClient(url);
    await client.session();
    for (const _ of range(count / sessions)) client.expect(200, await client.get('/captcha?purpose=contact'));
  });
}

async function uploadImages(url: string, people: readonly InsertedPerson[], count: number): Promise<void> {
  const { data, info } = await sharp({
    create: { width: 2400, height: 1800, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  })
    .jpeg()
    .toBuffer({ resolveWithObject: true });
  if (info.size < 1_000_000) throw new Error(`an image of ${info.size} bytes is too small to measure`);
  await inParallel(range(count), 6, async (index) => {
    const client = new TestClient(url, people[index % people.length]?.key);
    client.expect(201, await client.upload(data, 'identity', 'scan.jpg'));
  });
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

const streamGoals = { p95: 1_000, megabytes: 100 };
/** As a person has tabs and devices. */
const streamsOfAccount = 2;
const perSecond = 50;
const quietMs = 20_000;
const streamRequests = ['/account', '/notifications', '/profiles', '/notifications/unread', '/services/prices'];

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
    const quiet = await timeRequestsDuring(client, streamRequests, () => notifyAll(platform, people, (quietMs / 1000) * perSecond));
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
    const busy = await timeRequestsDuring(client, streamRequests, async () => {
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
    const p95 = percentile(latencies, 0.95);
    return [
      {
        what: `streams of ${count} that received every event once and in order`,
        goal: String(count),
        measured: `${streams.length - wrong.length} (${arrived()} events)`,
        isMet: wrong.length === 0 && streams.length === count && arrived() === expected,
      },
      within(streamGoals.p95, `from the beginning of a transaction to the client, ${perSecond} notifications a second, p95`, p95, 'ms'),
      within(streamGoals.megabytes, `the API's peak memory with ${count} streams, more than before`, peak - before, 'MB'),
      besideQuiet(`requests beside ${count} streams, to as many notifications without streams`, busy, quiet),
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
