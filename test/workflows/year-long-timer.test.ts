import { resolve } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { environment } from '../../src/config.ts';
import { projectDirectory } from '../../src/embedded/scripts.ts';
import { findTemporalTestServer } from '../../src/embedded/temporal/find-test-server.ts';
import { searchAttributes } from '../../workflows/process.contract.ts';
import { readServers } from '../support/servers.ts';
import { quietRuntime } from './engine.ts';
import { FakeRecords } from './fake-record.ts';

/** The engine that skips time: a process sleeps a year in a moment. */
const keywordType = 2;
const dayMs = 24 * 60 * 60_000;
const records = new FakeRecords();
let engine: TestWorkflowEnvironment | undefined;
// The server that skips time needs Java or a download of its own; where neither is to be had, only these tests are left out.
const program = await findTemporalTestServer({ dataDir: resolve(projectDirectory, '.data'), env: environment() }).catch(
  (error: unknown) => {
    process.stderr.write(`The tests of year-long timers are left out: ${error instanceof Error ? error.message : String(error)}\n`);
    return null;
  },
);
const testIfFound = program === null ? test.skip : test;
beforeAll(async () => {
  if (program === null) return;
  quietRuntime();
  engine = await startPatiently(program);
  const names = Object.values(searchAttributes).map(({ name }) => name);
  await engine.connection.operatorService.addSearchAttributes({
    namespace: engine.namespace ?? 'default',
    searchAttributes: Object.fromEntries(names.map((name) => [name, keywordType])),
  });
}, 300_000);
afterAll(() => engine?.teardown());

/** The SDK gives the server five seconds, which a Java machine on a busy computer may exceed; the next attempt finds it in memory. */
async function startPatiently(path: string): Promise<TestWorkflowEnvironment> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } });
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

/** Runs a process to its end. @returns how long after its first look at the record it looked last, by the engine's clock */
async function run(workflowType: string, taskQueue: string, input: object, workflowId: string): Promise<number> {
  if (!engine) throw new Error('the engine did not start');
  const { client } = engine;
  const currentTimeMs = () => engine?.currentTimeMs() ?? 0;
  const record = records.of(workflowId);
  const { onCall } = record;
  const looks: number[] = [];
  record.onCall = async (call) => {
    await onCall(call);
    looks.push(await currentTimeMs());
  };
  const worker = await Worker.create({
    connection: engine.nativeConnection,
    taskQueue,
    activities: records.activities(),
    workflowBundle: { codePath: readServers().bundlePath },
  });
  await worker.runUntil(client.workflow.execute(workflowType, { workflowId, taskQueue, args: [input] }));
  return (looks.at(-1) ?? 0) - (looks[0] ?? 0);
}

testIfFound('a document sleeps until its last day has passed, and looks again then', async () => {
  const record = records.of('document/1');
  record.view = {
    stage: 'approved',
    waitingFor: 'date',
    details: 'Waits for its last day to pass.',
    isOver: false,
    wakeAfterMs: 365 * dayMs,
  };
  record.onCall = () => {
    if (record.calls.length === 2) record.view = { ...record.view, stage: 'expired', isOver: true, wakeAfterMs: null };
  };
  const slept = await run('documentReview', 'documents', { documentId: 1 }, 'document/1');
  expect(slept).toBeGreaterThanOrEqual(365 * dayMs);
  expect(slept).toBeLessThan(366 * dayMs);
  expect(record.activities).toEqual(['reconsiderDocument', 'reconsiderDocument']);
});

testIfFound('an invoice asks the bank by its plan: growing waits, a day, then seven days for late money', async () => {
  const record = records.of('invoice/1');
  const waits = [5_000, 15_000, 60_000, 3_600_000, dayMs, ...Array.from({ length: 7 }, () => dayMs)];
  record.onCall = () => {
    const wakeAfterMs = waits[record.calls.length - 1] ?? null;
    record.view = { ...record.view, isOver: wakeAfterMs === null, wakeAfterMs };
  };
  const slept = await run('invoiceReconciliation', 'bank', { invoiceId: 1 }, 'invoice/1');
  expect(record.calls).toHaveLength(waits.length + 1);
  expect(record.calls.map(({ args }) => args)).toEqual(record.calls.map(() => ({ askNow: false })));
  expect(slept).toBeGreaterThanOrEqual(waits.reduce((sum, wait) => sum + wait, 0));
});

testIfFound('an application sleeps to the lapse of a document and on to the end of its year', async () => {
  const record = records.of('application/1');
  const views = [
    { stage: 'approved', waitingFor: 'date', isOver: false, wakeAfterMs: 90 * dayMs },
    { stage: 'changes', waitingFor: 'owner', isOver: false, wakeAfterMs: 200 * dayMs },
    { stage: 'closed', waitingFor: 'nobody', isOver: true, wakeAfterMs: null },
  ] as const;
  record.onCall = ({ activity }) => {
    const looks = record.activities.filter((name) => name === 'reconsiderApplication').length;
    const view = views[looks - 1];
    if (activity === 'reconsiderApplication' && view) record.view = { ...view, details: view.stage };
  };
  if (!engine) throw new Error('the engine did not start');
  const { nativeConnection } = engine;
  const drawing = await Worker.create({ connection: nativeConnection, taskQueue: 'documents', activities: records.activities() });
  const slept = await drawing.runUntil(run('applicationLifecycle', 'registry', { applicationId: 1 }, 'application/1'));
  expect(slept).toBeGreaterThanOrEqual(290 * dayMs);
  expect(slept).toBeLessThan(291 * dayMs);
  expect(record.activities).toEqual(['reconsiderApplication', 'makeCertificate', 'reconsiderApplication', 'reconsiderApplication']);
});

testIfFound('a record that stays due whatever is done does not turn its process in circles', async () => {
  const record = records.of('document/2');
  const looks = 6;
  record.onCall = () => {
    record.view = { ...record.view, isOver: record.calls.length === looks, wakeAfterMs: 0 };
  };
  const slept = await run('documentReview', 'documents', { documentId: 2 }, 'document/2');
  expect(record.calls).toHaveLength(looks);
  expect(slept).toBeGreaterThanOrEqual((looks - 1) * 1000);
});
