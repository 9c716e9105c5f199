import { Client } from 'pg';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withPlatform, withTemporal } from '../bench/stack.ts';
import { liveThrough } from '../faults/applicant.ts';
import { Watch } from '../faults/careful-client.ts';
import { checkStatusLists } from '../faults/verdict.ts';
import { NeedsOwnRegistry, sharedStage } from '../faults/stories.ts';
import { scenarios } from '../replay/scenarios.ts';
import { type Answer, TestClient } from '../support/client.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { compareProcesses } from '../support/live-processes.ts';
import { makeScan } from '../support/papers/scans.ts';
import { createRandom } from '../support/random.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Installation, startInstallation } from './installation.ts';
import { type Fault, faults } from './links.ts';

/**
 * A life of each process, a rolling restart and outages in an installation in production mode. `npm run test:production` holds each outage
 * for a minute; a usual run for some seconds.
 */
const outageMs = Number(process.env['OUTAGE_SECONDS'] ?? '8') * 1_000;
/** Long enough for each time limit to pass. */
const isLong = outageMs >= 60_000;
/** The fixtures of the stories publish events without an agreement. */
const brokenByFixtures = 'the agreement of a living event is approved exactly while its contract is confirmed';

/** The proxy tries an API again that had refused a connection (`fail_timeout` in ops/nginx/registry.conf). */
const proxyRetryMs = 6_000;

const execute = promisify(execFile);

let installation: Installation;
let administrator: TestClient;
let people: InsertedPerson[];
const tokens: string[] = [];
let readerKey = '';
let scan: Buffer;
beforeAll(async () => {
  installation = await startInstallation();
  const { faultStack, baseUrl } = installation;
  const faultsOf = installation.network === null ? 'processes, not of network links' : 'processes and of network links';
  process.stderr.write(`The proxy before the APIs is ${installation.proxyName}. Faults are of ${faultsOf}.\n`);
  administrator = new TestClient(baseUrl);
  await administrator.login(faultStack.stack.administrator.email, faultStack.stack.administrator.password);
  people = await faultStack.people(90, () => true);
  readerKey = take().key;
  scan = await makeScan('A document');
  await installation.moveFiles();
});
afterAll(() => installation?.stop());

const take = () => {
  const person = people.shift();
  if (!person) throw new Error('no person is left');
  return person;
};

/** A person pays for a certificate, through the proxy. */
async function certify(): Promise<number> {
  const { faultStack, baseUrl } = installation;
  const watch = new Watch();
  const surroundings = { baseUrl, bankUrl: faultStack.stack.bankUrl, watch, administratorKey: faultStack.administratorKey };
  const { applicationId } = await liveThrough('document reviewed last', take(), surroundings, createRandom(people.length));
  expect(watch.surprises).toEqual([]);
  return applicationId;
}

/** Reads verification and prices once. @returns statuses, and the time of both in milliseconds */
async function read(): Promise<{ statuses: number[]; millis: number }> {
  const startedAt = performance.now();
  const stranger = new TestClient(installation.baseUrl);
  const answers = await Promise.all([
    stranger.get(`/verify/${tokens[0]}`),
    new TestClient(installation.baseUrl, readerKey).get('/services/prices'),
  ]);
  return { statuses: answers.map(({ status }) => status), millis: performance.now() - startedAt };
}

/** Reads for some time. @returns unexpected statuses, and the 95th percentile in milliseconds */
async function readFor(ms: number) {
  const times: number[] = [];
  const wrong: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until;) {
    const { statuses, millis } = await read();
    wrong.push(...statuses.filter((status) => status !== 200));
    times.push(millis);
    await pause(50);
  }
  return { wrong, p95: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0 };
}

/** Reviews documents, one after the other. Each command must succeed. */
function startLoad() {
  const stopping = new AbortController();
  const failures: string[] = [];
  let count = 0;
  const command = async (work: (headers: Record<string, string>) => Promise<Answer>) => {
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      const answer = await work(headers).catch((error: Error) => `${error.message}: ${String(error.cause)}`);
      // On a busy machine, a new worker may need longer than a caller waits; the API says that the request is safe to repeat.
      if (typeof answer !== 'string' && ['workflow_unavailable', 'request_in_progress'].includes(answer.body?.error?.code)) continue;
      count += 1;
      if (typeof answer === 'string' || answer.status !== 200)
        failures.push(typeof answer === 'string' ? answer : `${answer.status} ${JSON.stringify(answer.body)}`);
      return;
    }
  };
  const loop = (async () => {
    const owner = take();
    const client = new TestClient(installation.baseUrl, owner.key);
    const reviewer = new TestClient(installation.baseUrl, installation.faultStack.administratorKey);
    const id = owner.documentIds[1];
    while (!stopping.signal.aborted) {
      const words = { kind: 'document', id, decision: 'changes', note: 'The stamp cannot be read.' };
      await command((headers) => reviewer.post('/admin/review', words, headers));
      await command((headers) => client.patch(`/documents/${id}`, { number: `N${count}` }, headers));
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
    return { failures, count };
  };
}

test('`npm run registry -- check` finds nothing wrong', async () => {
  const findings = await installation.run('src/cli/main.ts', ['check']);
  expect(findings).toMatch(/temporal/);
  expect(findings).not.toMatch(/\bwrong\b/);
});

test('each process lives through the proxy', async () => {
  const { faultStack, baseUrl, env } = installation;
  const id = await certify();
  const [certificate] = await waitFor(
    () => faultStack.sql<{ token: string }>('select token from certificates where application_id = $1', [id]),
    (rows) => rows.length === 1,
    'the certificate',
  );
  tokens.push(certificate?.token ?? '');
  expect((await read()).statuses).toEqual([200, 200]);
  const user = async () => {
    const person = take();
    const client = new TestClient(baseUrl, person.key);
    client.userId = person.userId;
    return client;
  };
  const lived = new Set<string>();
  await withPlatform(
    faultStack.stack,
    async (platform) => {
      const stage = sharedStage({ bankUrl: faultStack.stack.bankUrl, administrator, platform, user });
      for (const { workflowType, play } of scenarios) {
        if (lived.has(workflowType)) continue;
        await play(stage).then(
          () => lived.add(workflowType),
          (error: unknown) => {
            if (!(error instanceof NeedsOwnRegistry)) throw error;
          },
        );
      }
    },
    { STORAGE: 's3', ...Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('S3_'))) },
  );
  expect([...lived]).toEqual(
    expect.arrayContaining([
      'profileReview',
      'documentReview',
      'applicationLifecycle',
      'eventStages',
      'ownershipTransfer',
      'nationalExport',
    ]),
  );
});

test('a rolling restart of APIs and workers fails no command', async () => {
  const stopLoad = startLoad();
  const { apis, workers } = installation;
  const spareWorkers = installation.workersOf({});
  for (const api of apis) {
    await api.stop();
    await api.start();
    await pause(proxyRetryMs);
  }
  // The new worker of a queue starts before the old one stops.
  for (const [index, worker] of workers.entries()) {
    await spareWorkers[index]?.start();
    await worker.stop();
    await worker.start();
    await spareWorkers[index]?.stop();
  }
  const { failures, count } = await stopLoad();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(10);
});

test('reads and verification go on while Temporal is away; commands are refused at once and go on afterwards', async () => {
  const { temporal } = installation.faultStack.stack.processes;
  const quiet = await readFor(3_000);
  await temporal?.kill('SIGSTOP');
  try {
    const reading = readFor(outageMs);
    const { reviewer, decision } = pendingReview();
    const refusal = async () => {
      const sentAt = performance.now();
      const { status, body } = await reviewer.post('/admin/review', decision);
      return { status, code: body?.error?.code, isFast: performance.now() - sentAt < 1_000 };
    };
    // Each API learns of it by its own checks; until then a command waits for its time limit.
    await waitFor(refusal, ({ isFast }) => isFast, 'a command to be refused at once');
    for (let attempt = 0; attempt < 4; attempt += 1)
      expect(await refusal()).toEqual({ status: 503, code: 'workflow_unavailable', isFast: true });
    const { wrong, p95 } = await reading;
    expect(wrong).toEqual([]);
    expect(p95).toBeLessThan(Math.max(2 * quiet.p95, 250));
  } finally {
    await temporal?.kill('SIGCONT');
  }
  await expectCommands();
});

test('after PostgreSQL was away, and after a worker was killed, commands go on', async () => {
  const { postgres } = installation.faultStack.stack.processes;
  await postgres?.stop({ force: true });
  await pause(Math.min(outageMs, 15_000));
  expect((await fetch(`${installation.baseUrl}/health/live`)).status).toBe(200);
  await postgres?.start();
  await expectCommands();
  const [commands] = installation.workers;
  await commands?.kill();
  await commands?.start();
  await expectCommands();
});

const links = [
  { name: 'API to Temporal', from: ['api-1', 'api-2'], to: 'temporal' },
  { name: 'worker to PostgreSQL', from: ['worker-1', 'worker-2'], to: 'postgres' },
  { name: 'API to storage', from: ['api-1', 'api-2'], to: 'storage' },
] as const;
const allFaults = Object.keys(faults) as Fault[];
/** A short run disturbs the first link by two faults, the others by one. */
const disturbances = links.flatMap((link, index) =>
  allFaults.filter((_, place) => isLong || [place, place - 2].includes(index)).map((fault) => ({ ...link, fault })),
);
/** What a request may be answered while a link is disturbed; all are safe to repeat with the key. */
const refusals = ['503 workflow_unavailable', '503 service_unavailable', '409 request_in_progress'];
/** The longest time limit of the API is that of an upload: two attempts to connect, two to be answered. */
const longestAnswerMs = 30_000;
/** After a minute of silence, TCP repeats what was lost at intervals of up to a minute. */
const longestRecoveryMs = 60_000;

test.each(disturbances)(
  '$name, $fault: reads go on, commands succeed or are refused, all completes after the repair',
  async ({ name, from, to, fault }) => {
    const { network } = installation;
    if (network === null) {
      process.stderr.write(`${name}, ${fault}: left out, because links need network namespaces.\n`);
      return;
    }
    const isSilent = faults[fault].answers.loss === 1;
    const repair = await network.disturb(from, to, fault);
    const life = certify();
    const reading = readFor(isSilent ? outageMs : outageMs / 3);
    const uploading = uploadUntil(reading);
    const commands = await commandUntil(reading);
    const uploads = await uploading;
    const { wrong, p95 } = await reading;
    await repair();
    const repairedAt = performance.now();
    await expectCommands();
    await life;
    const recoveryMs = performance.now() - repairedAt;
    const times = `reads p95 ${p95.toFixed(0)} ms, whole after ${(recoveryMs / 1_000).toFixed(1)} s`;
    process.stderr.write(`${name}, ${fault}: ${times}; commands ${commands.words}; uploads ${uploads.words}.\n`);

    expect(wrong).toEqual([]);
    // A short run has other tests beside it. It only shows that no read waits for the time limits of the link, ten seconds and more.
    expect(p95).toBeLessThan(isLong ? 250 : 5_000);
    const outcomes = new Map([...commands.seen, ...uploads.seen]);
    expect(['200', '201', ...refusals]).toEqual(expect.arrayContaining([...outcomes.keys()]));
    for (const { longest } of outcomes.values()) expect(longest).toBeLessThan(longestAnswerMs);
    expect(recoveryMs).toBeLessThan(longestRecoveryMs);
    // Each part needs only its own servers.
    if (to === 'storage') expect([...commands.seen.keys()]).toEqual(['200']);
    else expect([...uploads.seen.keys()]).toEqual(['201']);
    if (!isSilent) expect(outcomes.has('200') && outcomes.has('201')).toBe(true);
    // A long outage is known, so callers do not wait.
    if (isSilent && isLong && to === 'temporal') expect(outcomes.get('503 workflow_unavailable')?.last).toBeLessThan(1_000);
    if (isSilent && isLong && to === 'storage') expect(outcomes.get('503 service_unavailable')?.last).toBeLessThan(1_000);
  },
);

/** Sends requests one after the other until something ends. A request that is refused is repeated with its key. @returns outcomes */
async function repeatUntil(end: Promise<unknown>, pauseMs: number, send: (count: number, key: string) => Promise<Answer>) {
  const ended = new AbortController();
  void end.then(() => ended.abort());
  const seen = new Map<string, { count: number; longest: number; last: number }>();
  let count = 0;
  let key = randomUUID();
  while (!ended.signal.aborted) {
    const sentAt = performance.now();
    const { status, body } = await send(count, key);
    const outcome = status < 300 ? String(status) : `${status} ${body?.error?.code}`;
    const last = performance.now() - sentAt;
    const before = seen.get(outcome) ?? { count: 0, longest: 0 };
    seen.set(outcome, { count: before.count + 1, longest: Math.max(before.longest, last), last });
    if (status < 300) [count, key] = [count + 1, randomUUID()];
    await pause(pauseMs);
  }
  const words = [...seen].map((entry) => {
    const [outcome, { count: times, longest, last }] = entry;
    return `${times} × ${outcome} (at most ${longest.toFixed(0)} ms, the last ${last.toFixed(0)})`;
  });
  return { seen, words: words.join(', ') };
}

/** A document is given back, changed, given back again. */
function commandUntil(end: Promise<unknown>) {
  const owner = take();
  const client = new TestClient(installation.baseUrl, owner.key);
  const reviewer = new TestClient(installation.baseUrl, installation.faultStack.administratorKey);
  const id = owner.documentIds[1];
  return repeatUntil(end, 100, (count, key) =>
    count % 2 === 0
      ? reviewer.post(
          '/admin/review',
          { kind: 'document', id, decision: 'changes', note: 'The stamp cannot be read.' },
          { 'idempotency-key': key },
        )
      : client.patch(`/documents/${id}`, { number: `N${count}` }, { 'idempotency-key': key }),
  );
}

function uploadUntil(end: Promise<unknown>) {
  const owner = new TestClient(installation.baseUrl, readerKey);
  return repeatUntil(end, 1_000, (count, key) => owner.upload(scan, 'document', `scan-${count}.pdf`, { 'idempotency-key': key }));
}

test('a copy of the database with an empty Temporal goes on, and nothing happens twice', async () => {
  const { faultStack, apis, workers } = installation;
  const { stack } = faultStack;
  const readKeys = async () => (await fetch(`${installation.baseUrl}/.well-known/jwks.json`)).json();
  const keys = await readKeys();
  for (const part of [...apis, ...workers]) await part.stop();
  process.stderr.write(`The database is copied by ${await copyDatabase(stack.migrationDatabaseUrl)}.\n`);
  await withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => {
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      await client.workflow.getHandle(workflowId).terminate('lost');
  });
  // Erased after the copy: the list in the storage knows it, the copy does not.
  const { userId: gone } = take();
  const [account] = await faultStack.sql<{ created_at: Date }>('select created_at from users where id = $1', [gone]);
  const line = JSON.stringify({ id: gone, registered_at: account?.created_at.toISOString() });
  await installation.store(`erased-accounts/${new Date().toISOString().slice(0, 7)}.jsonl`, `${line}\n`);
  const startedAt = performance.now();
  expect(await installation.run('src/cli/main.ts', ['migrate'])).toContain(`erased again accounts ${gone}\n`);
  expect(await installation.run('src/cli/main.ts', ['processes', 'rebuild'])).toContain('Every living record has its process.');
  for (const part of [...workers, ...apis]) await part.start();
  expect((await read()).statuses).toEqual([200, 200]);
  process.stderr.write(`Restored and serving after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.\n`);
  await expectCommands();
  // Credentials from before stay verifiable, and the lists go on.
  expect(await readKeys()).toEqual(keys);
  expect(await checkStatusLists({ baseUrl: installation.baseUrl, sql: faultStack.sql })).toEqual([]);
  expect(await compareProcesses(stack.migrationDatabaseUrl, stack.temporalAddress, stack.config.TEMPORAL_NAMESPACE)).toEqual([]);
  const broken = await findBrokenInvariants(stack.migrationDatabaseUrl);
  expect(broken.filter((fault) => !fault.startsWith(brokenByFixtures))).toEqual([]);
});

/** Replaces the database by a copy. A pg_dump that is older than the server refuses; a template serves then. @returns what made the copy */
async function copyDatabase(url: string): Promise<string> {
  const addressOf = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const server = new Client({ connectionString: addressOf('postgres') });
  await server.connect();
  try {
    // The server still holds connections whose end a disturbed link has lost.
    await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'registry'`);
    await server.query('alter database registry rename to registry_lost');
    const { rows } = await server.query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`);
    const found = await execute('pg_dump', ['--version']).catch(() => ({ stdout: '' }));
    const dumpMajor = Number(/ (\d+)\./.exec(found.stdout)?.[1] ?? 0);
    if (dumpMajor < (rows[0]?.major ?? 0)) {
      await server.query('create database registry template registry_lost');
      return `a template, because pg_dump is ${dumpMajor === 0 ? 'missing' : `of version ${dumpMajor}`}`;
    }
    const file = join(installation.faultStack.stack.dataDir, 'registry.dump');
    await execute('pg_dump', ['--format=custom', `--file=${file}`, addressOf('registry_lost')]);
    await server.query('create database registry');
    await execute('pg_restore', [`--dbname=${addressOf('registry')}`, '--jobs=2', '--exit-on-error', file]);
    return `pg_dump ${dumpMajor} and pg_restore`;
  } finally {
    await server.end();
  }
}

/** A decision on a document that waits for its review. */
function pendingReview() {
  const reviewer = new TestClient(installation.baseUrl, installation.faultStack.administratorKey);
  return { reviewer, decision: { kind: 'document', id: take().documentIds[1], decision: 'approve' } };
}

/** A command succeeds again, at the latest after the backoff of connections. */
async function expectCommands(): Promise<void> {
  const { reviewer, decision } = pendingReview();
  await waitFor(
    () =>
      reviewer.post('/admin/review', decision).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
    'a command to succeed',
    60_000,
  );
  await certify();
}
