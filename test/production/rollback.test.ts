import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseProcessRef, processRef, type ProcessRef } from '../../src/platform/workflows/process-ref.ts';
import { reconsiderUpdate } from '../../workflows/contracts/process.contract.ts';
import { inParallel, withPlatform, withTemporal } from '../bench/stack.ts';
import type { FaultStack } from '../faults/fault-stack.ts';
import { TestClient } from '../support/client.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Installation, installRelease, type Part, startInstallation } from './installation.ts';
import { nextPatch, writeNextRelease } from './releases.ts';

/** Deploys and rolls back a release that changes the workflows of waiting processes, as docs/production.md says, in an installation. */
let installation: Installation;
let faultStack: FaultStack;
let administrator: TestClient;
let nextRelease: string;
let applications: { id: number; owner: TestClient }[];

beforeAll(async () => {
  installation = await startInstallation();
  faultStack = installation.faultStack;
  nextRelease = join(faultStack.stack.dataDir, 'next-release');
  installRelease(nextRelease, writeNextRelease);
  administrator = new TestClient(installation.baseUrl, faultStack.administratorKey);
  // Documents that wait for a review or for their last day, applications in four states.
  const made = await faultStack.people(72, (index) => index % 2 === 0);
  await runProcesses('rebuild');
  applications = [];
  await inParallel(made, 4, async (person) => void applications.push(await apply(person)));
  await inParallel(applications.slice(16), 4, (each) => submit(each));
  await inParallel(applications.slice(48), 4, (each) => giveBack(each));
});
afterAll(() => installation?.stop());

async function apply(person: InsertedPerson) {
  const owner = new TestClient(installation.baseUrl, person.key);
  const body = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  return { id: owner.expect(201, await owner.post('/applications', body)).body.data.id as number, owner };
}

const submit = ({ id, owner }: { id: number; owner: TestClient }, key: string = randomUUID()) =>
  owner.post(`/applications/${id}/submit`, undefined, { 'idempotency-key': key });
/** Revision of the application in a request, by the request's key. */
const revisions = new Map<string, number>();

async function giveBack({ id, owner }: { id: number; owner: TestClient }, key: string = randomUUID()) {
  // A repeat is the same request.
  const revision = revisions.get(key) ?? owner.expect(200, await owner.get(`/applications/${id}`)).body.data.revision;
  revisions.set(key, revision);
  const decision = { kind: 'application', id, decision: 'changes', note: 'Attach the newer document.', revision };
  return administrator.post('/admin/review', decision, { 'idempotency-key': key });
}

/** Runs `npm run registry -- processes <command>` beside the installation. */
const runProcesses = (...args: string[]) => installation.run('src/cli/main.ts', ['processes', ...args]);

/** Replaces the workers one after the other: the new one of a queue starts before the old one stops. */
async function replaceWorkers(old: readonly Part[], next: readonly Part[]): Promise<void> {
  for (const [index, worker] of old.entries()) {
    await next[index]?.start();
    expect(await worker.stop()).toBe(0);
  }
}

const listProcesses = (query: string): Promise<ProcessRef[]> =>
  withTemporal(faultStack.stack, faultStack.stack.config.TEMPORAL_NAMESPACE, async (client) => {
    const refs: ProcessRef[] = [];
    for await (const { workflowId } of client.workflow.list({ query: `ExecutionStatus = 'Running' AND ${query}` }))
      if (workflowId.includes('/')) refs.push(workflowId as ProcessRef);
    return refs;
  });
const listPatched = () => listProcesses(`TemporalChangeVersion = '${nextPatch}'`);
const untilPatched = (isSo: (count: number) => boolean, what: string) =>
  waitFor(async () => (await listPatched()).length, isSo, what, 120_000);
const overview = async () => administrator.expect(200, await administrator.get('/admin/overview')).body.data;

/** Each loop has one command in progress. A worker that starts has to replay the processes of all. */
const loopsAtOnce = 3;

/** Submits and returns applications until it is stopped. Every command must succeed. */
function startLoad(targets: readonly { id: number; owner: TestClient }[]) {
  const failures: string[] = [];
  const stopping = new AbortController();
  let count = 0;
  const command = async (work: (key: string) => ReturnType<typeof submit>) => {
    const key = randomUUID();
    for (;;) {
      const { status, body } = await work(key);
      // On a busy machine, a new worker may need longer than a caller waits; the API says that the request is safe to repeat.
      if (['workflow_unavailable', 'request_in_progress'].includes(body.error?.code)) continue;
      count += 1;
      if (status !== 200) failures.push(`${status} ${JSON.stringify(body)}`);
      return;
    }
  };
  const queue = [...targets];
  const loops = Array.from({ length: loopsAtOnce }, async () => {
    while (!stopping.signal.aborted) {
      const target = queue.shift();
      if (target === undefined) throw new Error('fewer applications than loops');
      await command((key) => submit(target, key));
      await command((key) => giveBack(target, key));
      queue.push(target);
    }
  });
  return async () => {
    stopping.abort();
    await Promise.all(loops);
    return { failures, count };
  };
}

test('a release that changes workflows is deployed and rolled back under commands: none fails, no process is stuck', async () => {
  const { workers } = installation;
  const waiting = await listProcesses(`WorkflowType != 'sweep'`);
  expect(waiting.length).toBeGreaterThanOrEqual(200);
  const applicationsOf = (stage: string) => listProcesses(`WorkflowType = 'applicationLifecycle' AND Stage = '${stage}'`);
  for (const stage of ['draft', 'submitted', 'changes']) expect((await applicationsOf(stage)).length).toBeGreaterThan(0);
  const stopLoad = startLoad(applications.slice(48));

  const deployed = installation.workersOf({ INACTIVE_PATCHES: nextPatch }, nextRelease);
  await replaceWorkers(workers, deployed);
  expect(await listPatched()).toEqual([]);
  const activated = installation.workersOf({}, nextRelease);
  await replaceWorkers(deployed, activated);
  await untilPatched((count) => count >= 16, 'processes to pass the change');

  const deactivated = installation.workersOf({ INACTIVE_PATCHES: nextPatch }, nextRelease);
  await replaceWorkers(activated, deactivated);
  expect(await runProcesses('restart', '--patched', nextPatch)).toMatch(/ processes that had passed next-release were restarted\.\n$/);
  await untilPatched((count) => count === 0, 'no process with the change');
  await replaceWorkers(deactivated, workers);

  const { failures, count } = await stopLoad();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(100);
  expect(await overview()).toMatchObject({ processes: { stuck: 0, failed: 0 } });
  // Each process answers, so the older release can run it.
  await withPlatform(faultStack.stack, ({ processes }) =>
    inParallel(waiting, 8, (ref) =>
      processes.ask(ref, reconsiderUpdate.name, 'drill').catch((error: unknown) => failures.push(`${ref}: ${String(error)}`)),
    ),
  );
  expect(failures).toEqual([]);
});

test('a process that an older release cannot run is stuck with the reason, refuses commands at once, and is restarted by its change', async () => {
  const { workers } = installation;
  const [target, other] = applications;
  if (!target || !other) throw new Error('no application was made');
  const next = installation.workersOf({}, nextRelease);
  await replaceWorkers(workers, next);
  for (const each of [target, other]) expect(await submit(each)).toMatchObject({ status: 200 });
  await untilPatched((count) => count === 2, 'the processes to pass the change');
  await replaceWorkers(next, workers);

  const key = randomUUID();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const sentAt = performance.now();
    expect(await giveBack(target, key)).toMatchObject({
      status: 503,
      body: { error: { code: 'process_unavailable', details: { reason: 'workflow_version' } } },
    });
    expect(performance.now() - sentAt).toBeLessThan(5_000);
  }
  const process = processRef('application', target.id);
  const { id, kind } = parseProcessRef(process);
  expect((await administrator.get('/admin/processes?state=stuck')).body.data).toMatchObject([
    { workflow_id: process, kind, id: Number(id), reason: 'workflow_version', waiting_for: 'support' },
  ]);
  expect(await overview()).toMatchObject({ processes: { stuck: 1 } });

  expect(await runProcesses('restart', '--patched', nextPatch)).toContain('2 processes that had passed next-release were restarted.');
  expect(await overview()).toMatchObject({ processes: { stuck: 0 } });
  expect(await giveBack(target, key)).toMatchObject({ status: 200 });
  expect(await giveBack(other)).toMatchObject({ status: 200 });
  expect(await findBrokenInvariants(faultStack.stack.migrationDatabaseUrl)).toEqual([]);
});
