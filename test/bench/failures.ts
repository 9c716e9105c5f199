import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { setTimeout, setTimeout as pause } from 'node:timers/promises';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  atMost,
  describeLatencies,
  mainThreadSeconds,
  median,
  none,
  percentile,
  say,
  secondsSince,
  timed,
  type Verdict,
} from './measure.ts';
import type { Attack } from './programs.ts';
import {
  type Draft,
  inParallel,
  insertCertificates,
  makeDraft,
  makePeople,
  makeReviewer,
  signInAdministrator,
  startProgram,
  untilSettled,
  withDatabase,
  withPlatform,
  withTemporal,
} from './stack.ts';

const clients = 8;
/** Shortest interval between two commands of a client. */
const periodMs = 100;
/** Commands run this long before each kill: the supervisor delays the restart of a worker that served less than five seconds. */
const calmMs = 6_000;
/** Commands run at most this long after each kill. */
const aftermathMs = 3_000;
/** A response that was on its way when the worker died arrives within this; no new worker serves so soon. */
const onTheWayMs = 100;
const retryMs = 50;
const goalSeconds = 4;
const longestMs = 30_000;

interface Sent {
  sentAt: number;
  doneAt: number | null;
  /** Code and time of each refusal after which it was sent again. */
  refusals: string[];
}

/**
 * `recovery`: kills the worker (SIGKILL) during commands; the supervisor restarts it. Measures from the kill to the first command in
 * effect, and to the last of those that the worker was executing.
 */
export async function benchRecovery(stack: Stack, kills: number): Promise<Verdict[]> {
  const count = kills * Math.ceil((calmMs + aftermathMs) / periodMs) * clients;
  const people = await makePeople(stack, count);
  const drafts: Draft[] = [];
  await inParallel(people, clients, async (person) => drafts.push(await makeDraft(stack, person)));
  await untilSettled(stack);
  const sent = new Set<Sent>();
  const isOver = new AbortController();
  const load = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!isOver.signal.aborted) {
        const draft = drafts.pop();
        if (!draft) throw new RangeError('prepare more drafts');
        await Promise.all([submit(draft, sent), setTimeout(periodMs)]);
      }
    }),
  );
  const firsts: number[] = [];
  const lasts: number[] = [];
  try {
    for (let nth = 1; nth <= kills; nth += 1) {
      await Promise.race([setTimeout(calmMs), load]);
      const killedAt = performance.now();
      await stack.processes.worker.kill('SIGKILL');
      await stack.processes.worker.whenReady();
      const readyAfter = (performance.now() - killedAt) / 1000;
      const inFlight = [...sent].filter(({ sentAt, doneAt }) => sentAt < killedAt && (doneAt === null || doneAt > killedAt + onTheWayMs));
      const firstAt = await until(() => firstDone(sent, killedAt), load);
      await until(() => inFlight.every(({ doneAt }) => doneAt !== null) || null, load);
      const first = (firstAt - killedAt) / 1000;
      const last = Math.max(...inFlight.map(({ doneAt }) => ((doneAt ?? Number.NaN) - killedAt) / 1000));
      const refusals = inFlight.flatMap((one) => one.refusals);
      say(
        `  kill ${nth}: worker ready after ${readyAfter.toFixed(2)} s, first command in effect after ${first.toFixed(2)} s, last of ${inFlight.length} in flight after ${last.toFixed(2)} s (${refusals.length === 0 ? 'none was sent again' : `sent again: ${refusals.join(', ')}`})`,
      );
      firsts.push(first);
      if (Number.isFinite(last)) lasts.push(last);
      sent.clear();
    }
  } finally {
    isOver.abort();
    await load;
  }
  say(`  median: first command ${median(firsts).toFixed(2)} s, last in flight ${median(lasts).toFixed(2)} s`);
  return [
    judgeRecovery(`killed worker: first command in effect, longest of ${kills}, s`, firsts),
    judgeRecovery(`killed worker: commands in flight in effect, longest of ${kills}, s`, lasts),
  ];
}

function judgeRecovery(what: string, seconds: readonly number[]): Verdict {
  // No sample shows nothing.
  const longest = seconds.length === 0 ? Number.NaN : Math.max(...seconds);
  return { what, goal: `<= ${goalSeconds}`, measured: longest.toFixed(2), isMet: longest <= goalSeconds };
}

/** Earliest end of a command that only the restarted worker can have executed. */
function firstDone(sent: Iterable<Sent>, killedAt: number): number | null {
  const ends = [...sent].flatMap(({ doneAt }) => (doneAt !== null && doneAt > killedAt + onTheWayMs ? [doneAt] : []));
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Sends a command again with the same key after a 503, as the API's documentation asks. */
async function submit({ id, client }: Draft, sent: Set<Sent>): Promise<void> {
  const one: Sent = { sentAt: performance.now(), doneAt: null, refusals: [] };
  sent.add(one);
  const key = { 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await client.post(`/applications/${id}/submit`, undefined, key);
    if (answer.status !== 503) {
      client.expect(200, answer);
      break;
    }
    one.refusals.push(`${answer.body?.error?.code ?? answer.bytes} after ${secondsSince(one.sentAt)} s`);
    await setTimeout(retryMs);
  }
  one.doneAt = performance.now();
}

/** @param load fails when a client does */
async function until<T>(look: () => T | null, load: Promise<unknown>): Promise<T> {
  const deadline = Date.now() + longestMs;
  for (;;) {
    const seen = look();
    if (seen !== null) return seen;
    if (Date.now() > deadline) throw new Error(`no command was in effect within ${longestMs / 1000} s of the kill`);
    await Promise.race([setTimeout(10), load]);
  }
}

const samplesOfRound = 50;
const warmUpSamples = 20;
const goal = 1.5;
/** Lowest assumed rate of processes that get stuck; limits the wait for them. */
const slowestPerSecond = 5;
/** Stuck processes that are woken during the reviews; each checks its record and tries again. */
const wokenPerSecond = 5;

/**
 * `broken-certificates`: reviews, one at a time, beside certificates that cannot be made because their photo is not in storage: before
 * there are any, when all their processes are stuck, and while some of these are woken and try again.
 */
export async function benchBrokenCertificates(stack: Stack, rounds: number, count: number): Promise<Verdict[]> {
  // First, because these rows have ids from 1. The file of their photo has no content.
  await insertCertificates(stack.migrationDatabaseUrl, count, 0, null);
  await setSnapshots(stack);
  const people = await makePeople(stack, warmUpSamples + 3 * rounds * samplesOfRound, {
    isMedicalPending: () => true,
  });
  await untilSettled(stack);
  const reviewer = await makeReviewer(stack);
  let refused = 0;
  const review = (person: InsertedPerson) =>
    timed(async () => {
      const decision = { kind: 'document', id: person.documentIds[1], decision: 'approve' };
      const { status } = await reviewer.post('/admin/review', decision, { 'idempotency-key': randomUUID() });
      if (status !== 200) refused += 1;
    });
  const measure = async (samples: number) => {
    const millis: number[] = [];
    for (const person of people.splice(0, samples)) millis.push(await review(person));
    return millis;
  };
  await measure(warmUpSamples);
  const without = await measure(rounds * samplesOfRound);
  say(`  reviews without: ${describeLatencies(without)}`);

  const startedAt = performance.now();
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const { stuck, trying } = await withPlatform(stack, async ({ processes }) => {
    const wake = (id: number) => processes.wake({ process: processRef('application', id), requestId: randomUUID() });
    await inParallel(ids, 8, wake);
    await waitFor(
      () => countStuck(stack),
      (found) => found === count,
      `${count} processes to be stuck`,
      (count / slowestPerSecond) * 1000 + 60_000,
    );
    say(`  ${count} processes stuck within ${secondsSince(startedAt)} s`);
    const whenStuck = await measure(rounds * samplesOfRound);
    say(`  reviews when all are stuck: ${describeLatencies(whenStuck)}`);
    const end = new AbortController();
    const waking = wakeSteadily(ids, wake, end.signal);
    const whenTrying = await measure(rounds * samplesOfRound);
    end.abort();
    say(`  reviews while ${await waking} of them are woken: ${describeLatencies(whenTrying)}`);
    return { stuck: whenStuck, trying: whenTrying };
  });
  const judge = (when: string, millis: number[]) =>
    atMost(goal, `reviews beside ${count} broken certificates, ${when}, p50 to none`, percentile(millis, 0.5) / percentile(without, 0.5));
  return [judge('all stuck', stuck), judge(`${wokenPerSecond} a second woken`, trying), none('reviews refused (503 and others)', refused)];
}

/** @returns how many were woken */
async function wakeSteadily(ids: readonly number[], wake: (id: number) => Promise<void>, end: AbortSignal): Promise<number> {
  let woken = 0;
  for (const id of ids) {
    if (end.aborted) break;
    await wake(id);
    woken += 1;
    await setTimeout(1000 / wokenPerSecond);
  }
  return woken;
}

/** Writes the snapshots of the certificates as an approval does, with the fields that drawing reads. */
async function setSnapshots(stack: Stack): Promise<void> {
  await withDatabase(stack.migrationDatabaseUrl, (owner) =>
    owner.query(
      `update certificates set snapshot = jsonb_build_object('holderName', 'Person ' || application_id, 'birthDate', null, 'citizenship', null,
         'serviceTitle', jsonb_build_object('kk', 'B', 'ru', 'B', 'en', 'B'), 'serviceCategory', 'B', 'disciplineTitle', null, 'team', null,
         'sport', null, 'insuranceTerritory', 'KZ', 'insuranceCoverageMinor', null, 'photoFileId', '00000000-0000-4000-8000-000000000001')`,
    ),
  );
}

async function countStuck(stack: Stack): Promise<number> {
  return withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => {
    const { count } = await client.workflow.count("ExecutionStatus = 'Running' AND WaitingFor = 'support'");
    return count;
  });
}

/** The default limits: they are part of the measurement. */
export const callersEnvironment = {
  RATE_LIMIT_KEY_PER_MINUTE: '300',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '60',
  MAX_CONNECTIONS_PER_IP: '300',
};
const windowMs = 10_000;
/** Keeps the measured caller below its own limit. */
const requestEveryMs = 220;
/** Goal of an attack over one connection. */
const mostCpuSeconds = 3;
const leastLimitMs = 150;
const callerAddress = '127.0.0.2';

const request = (line: string, headers = '', body = '') => `${line} HTTP/1.1\r\nHost: registry\r\n${headers}\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const tinyChunks = '1\r\nx\r\n'.repeat(10_000);
const multipart = `Content-Type: multipart/form-data; boundary=b\r\n${chunked}`;
const manyKeys = `{${Array.from({ length: 60_000 }, (_, index) => `"key${index}":1`).join(',')}}`;
const upload = request('POST /api/v1/contracts/verify-file', multipart, `${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`);

const endless = (line: string, repeat = tinyChunks, connections = 1): Attack => ({
  head: request(line, chunked),
  repeat,
  pauseMs: 0,
  connections,
});
const repeated = (repeat: string, pauseMs = 0): Attack => ({ head: '', repeat, pauseMs, connections: 1 });

const attacks: Readonly<Record<string, Attack>> = {
  'one-byte chunks, GET /health/live': endless('GET /health/live'),
  'one-byte chunks, POST /payment-return': endless('POST /api/v1/payment-return'),
  'one-byte chunks, an unknown path': endless('POST /nowhere'),
  'one-byte chunks, 200 connections': endless('POST /nowhere', tinyChunks, 200),
  '64 KB chunks, an unknown path': endless('POST /nowhere', `10000\r\n${'x'.repeat(65_536)}\r\n`),
  'long chunk extensions': endless('POST /nowhere', `1;${'e'.repeat(8_000)}\r\nx\r\n`.repeat(8)),
  '60,000 one-byte chunks of multipart a second': repeated(upload, 1_000),
  '60,000 unknown keys': repeated(
    request('POST /api/v1/auth/login', `Content-Type: application/json\r\nContent-Length: ${manyKeys.length}\r\n`, manyKeys),
    100,
  ),
  'GET /openapi.json': repeated(request('GET /api/v1/openapi.json')),
  'GET /health/live': repeated(request('GET /health/live')),
  'sixteen requests at a time': repeated(request('GET /nowhere').repeat(16), 1),
  'pipelined requests': repeated(request('GET /health/live').repeat(5_000)),
};

/**
 * `callers`: a caller with a key requests the prices while another address attacks: its latency, and the processor time of the API's main
 * thread. Linux only.
 */
export async function benchCallers(stack: Stack): Promise<Verdict[]> {
  const key = await (await signInAdministrator(stack)).makeKey(['applications:read']);
  const port = stack.config.PORT;
  const pid = stack.processes.api.pid ?? 0;
  const quiet = percentile(await timeRequests(port, key), 0.95);
  if (quiet >= windowMs) throw new Error('the requests of the caller fail without an attack');
  say(`  quiet: p95 ${quiet.toFixed(0)} ms`);
  const mostMs = Math.max(leastLimitMs, 3 * quiet);
  const verdicts: Verdict[] = [];
  for (const [index, [name, attack]] of Object.entries(attacks).entries()) {
    const mostCpu = attack.connections === 1 ? mostCpuSeconds : Infinity;
    const attacker = await startProgram('attacker', {});
    attacker.process.send({ attack, port, localAddress: `127.0.2.${index + 1}` });
    const before = mainThreadSeconds(pid);
    const startedAt = performance.now();
    const p95 = percentile(await timeRequests(port, key), 0.95);
    const cpu = ((mainThreadSeconds(pid) - before) * windowMs) / (performance.now() - startedAt);
    await attacker.stop();
    say(`  ${name}: p95 ${p95.toFixed(0)} ms, main thread ${cpu.toFixed(1)} s in 10 s`);
    verdicts.push({
      what: `${name}: p95 of another caller, CPU of the main thread in 10 s`,
      goal: `<= ${mostMs.toFixed(0)} ms${Number.isFinite(mostCpu) ? `, <= ${mostCpu} s` : ''}`,
      measured: `${p95.toFixed(0)} ms, ${cpu.toFixed(1)} s`,
      isMet: p95 <= mostMs && cpu <= mostCpu,
    });
  }
  return verdicts;
}

/** @returns milliseconds of each request; a failed one counts as the whole window */
async function timeRequests(port: number, key: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, localAddress: callerAddress });
  const until = performance.now() + windowMs;
  const millis: number[] = [];
  while (performance.now() < until) {
    let isServed = false;
    const took = await timed(async () => {
      isServed = await readPrices(port, key, agent);
    });
    millis.push(isServed ? took : windowMs);
    await pause(requestEveryMs);
  }
  agent.destroy();
  return millis;
}

function readPrices(port: number, key: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent, headers: { authorization: `Bearer ${key}` } };
    const sent = get(`http://127.0.0.1:${port}/api/v1/services/prices`, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    });
    sent.once('error', () => resolve(false));
  });
}
