import { Client } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { withPlatform, withTemporal } from '../bench/support/bench-stack.ts';
import { liveThrough } from '../faults/applicant.ts';
import { Watch } from '../faults/careful-client.ts';
import { NeedsOwnRegistry, sharedStage } from '../faults/stories.ts';
import { scenarios } from '../replay/scenarios.ts';
import { TestClient } from '../support/client.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { compareProcesses } from '../support/live-processes.ts';
import { createRandom } from '../support/random.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Installation, startInstallation } from './installation.ts';

/**
 * A life of each process, a rolling restart and outages in an installation in production mode. `npm run test:production` holds each outage
 * for a minute; a usual run for some seconds.
 */
const outageMs = Number(process.env['OUTAGE_SECONDS'] ?? '8') * 1_000;
/** The fixtures of the stories publish events without an agreement. */
const brokenByFixtures = 'the agreement of a living event is approved exactly while its contract is confirmed';

/** The proxy tries an API again that had refused a connection (`fail_timeout` in ops/nginx/registry.conf). */
const proxyRetryMs = 6_000;

let installation: Installation;
let administrator: TestClient;
let people: InsertedPerson[];
const tokens: string[] = [];
let readerKey = '';
beforeAll(async () => {
  installation = await startInstallation();
  const { faultStack, baseUrl } = installation;
  process.stderr.write(`The proxy before the APIs is ${installation.proxyName}. Faults are of processes, not of network links.\n`);
  administrator = new TestClient(baseUrl);
  await administrator.login(faultStack.stack.administrator.email, faultStack.stack.administrator.password);
  people = await faultStack.people(40, () => true);
  readerKey = take().key;
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

/** Reviews documents, one after the other. Each command must succeed at its first attempt. */
function startLoad() {
  const stopping = new AbortController();
  const failures: string[] = [];
  let count = 0;
  const loop = (async () => {
    const owner = take();
    const client = new TestClient(installation.baseUrl, owner.key);
    const reviewer = new TestClient(installation.baseUrl, installation.faultStack.administratorKey);
    const id = owner.documentIds[1];
    while (!stopping.signal.aborted) {
      for (const send of [
        () => reviewer.post('/admin/review', { kind: 'document', id, decision: 'changes', note: 'The stamp cannot be read.' }),
        () => client.patch(`/documents/${id}`, { number: `N${count}` }),
      ]) {
        const answer = await send().catch(String);
        if (typeof answer === 'string' || answer.status !== 200)
          failures.push(typeof answer === 'string' ? answer : `${answer.status} ${answer.bytes.toString()}`);
        count += 1;
      }
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
    return { failures, count };
  };
}

test('check:production finds nothing wrong', async () => {
  const findings = await installation.run('src/check-production.main.ts');
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
  const { apis, workers, spareWorkers } = installation;
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

test('a copy of the database with an empty Temporal goes on, and nothing happens twice', async () => {
  const { faultStack, apis, workers } = installation;
  const { stack } = faultStack;
  for (const part of [...apis, ...workers]) await part.stop();
  const owner = new URL(stack.migrationDatabaseUrl);
  const server = new Client({ connectionString: Object.assign(new URL(owner), { pathname: '/postgres' }).href });
  await server.connect();
  await server.query('alter database registry rename to registry_lost');
  await server.query('create database registry template registry_lost');
  await server.end();
  await withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => {
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      await client.workflow.getHandle(workflowId).terminate('lost');
  });
  const startedAt = performance.now();
  expect(await installation.run('src/processes.main.ts', ['rebuild'])).toContain('Every living record has its process.');
  for (const part of [...workers, ...apis]) await part.start();
  expect((await read()).statuses).toEqual([200, 200]);
  process.stderr.write(`Restored and serving after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.\n`);
  await expectCommands();
  expect(await compareProcesses(stack.migrationDatabaseUrl, stack.temporalAddress, stack.config.TEMPORAL_NAMESPACE)).toEqual([]);
  const broken = await findBrokenInvariants(stack.migrationDatabaseUrl);
  expect(broken.filter((fault) => !fault.startsWith(brokenByFixtures))).toEqual([]);
});

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
