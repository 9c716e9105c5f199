import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { resolve } from 'node:path';
import { environment } from '../../src/registry/config.ts';
import { projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { findTemporalTestServer } from '../support/test-server/find-test-server.ts';
import { searchAttributeTypes } from '../../worker/prepare-temporal.ts';
import { workflowBundlePath } from '../support/servers.ts';
import { installTemporalRuntime } from '../support/temporal-runtime.ts';
import { after, FakeRecords } from './fake-record.ts';

/** The server that skips time: a process sleeps for a year within milliseconds. */
const dayMs = 24 * 60 * 60_000;
const records = new FakeRecords();
let engine: TestWorkflowEnvironment | undefined;
// The server that skips time needs Java or a separate download. Without both, only these tests are skipped.
const program = await findTemporalTestServer({ dataDir: resolve(projectDirectory, '.data'), env: environment() }).catch(
  (error: unknown) => {
    process.stderr.write(`The tests of year-long timers are left out: ${error instanceof Error ? error.message : String(error)}\n`);
    return null;
  },
);
const testIfFound = program === null ? test.skip : test;
beforeAll(async () => {
  if (program === null) return;
  installTemporalRuntime();
  engine = await startPatiently(program);
  await engine.connection.operatorService.addSearchAttributes({
    namespace: engine.namespace ?? 'default',
    searchAttributes: searchAttributeTypes,
  });
});
afterAll(() => engine?.teardown());

/** The SDK waits five seconds for the server, which may need longer on a busy machine. The next attempt is faster. */
async function startPatiently(path: string): Promise<TestWorkflowEnvironment> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } });
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

/** Runs a process to its end. @returns the time from its first to its last look at the record, by the server's clock */
async function run(workflowType: string, taskQueue: string, input: object, workflowId: string): Promise<number> {
  if (!engine) throw new Error('the server did not start');
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
    workflowBundle: { codePath: await workflowBundlePath() },
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
    isDue: false,
    timer: after(365 * dayMs),
  };
  record.onCall = () => {
    if (record.calls.length === 2) record.view = { ...record.view, stage: 'expired', isOver: true, isDue: false, timer: null };
  };
  const slept = await run('documentReview', 'documents', { id: 1 }, 'document/1');
  expect(slept).toBeGreaterThanOrEqual(365 * dayMs);
  expect(slept).toBeLessThan(366 * dayMs);
  expect(record.activities).toEqual(['document.reconsider', 'document.reconsider']);
});

testIfFound('an invoice asks the bank by its plan: growing waits, a day, then seven days for late money', async () => {
  const record = records.of('invoice/1');
  const waits = [5_000, 15_000, 60_000, 3_600_000, dayMs, ...Array.from({ length: 7 }, () => dayMs)];
  const questions = () => record.calls.filter(({ activity }) => activity === 'reconcileInvoice');
  record.onCall = ({ activity }) => {
    const afterMs = waits[questions().length - 1];
    const isLook = activity === 'invoice.reconsider';
    record.view = {
      ...record.view,
      isDue: isLook,
      isOver: !isLook && afterMs === undefined,
      timer: afterMs === undefined ? null : after(afterMs),
    };
  };
  if (!engine) throw new Error('the server did not start');
  const asking = await Worker.create({ connection: engine.nativeConnection, taskQueue: 'bank', activities: records.activities() });
  const slept = await asking.runUntil(run('invoiceReconciliation', 'registry', { id: 1 }, 'invoice/1'));
  expect(questions()).toHaveLength(waits.length + 1);
  expect(slept).toBeGreaterThanOrEqual(waits.reduce((sum, wait) => sum + wait, 0));
});

testIfFound('an application sleeps to the lapse of a document and on to the end of its year', async () => {
  const record = records.of('application/1');
  const views = [
    { stage: 'approved', waitingFor: 'date', isOver: false, isDue: false, timer: after(90 * dayMs) },
    { stage: 'changes', waitingFor: 'owner', isOver: false, isDue: false, timer: after(200 * dayMs) },
    { stage: 'closed', waitingFor: 'none', isOver: true, isDue: false, timer: null },
  ] as const;
  record.onCall = ({ activity }) => {
    const looks = record.activities.filter((name) => name === 'application.reconsider').length;
    const view = views[looks - 1];
    if (activity === 'application.reconsider' && view) record.view = { ...view, details: view.stage };
  };
  if (!engine) throw new Error('the server did not start');
  const { nativeConnection } = engine;
  const drawing = await Worker.create({ connection: nativeConnection, taskQueue: 'certificates', activities: records.activities() });
  const slept = await drawing.runUntil(run('applicationLifecycle', 'registry', { id: 1 }, 'application/1'));
  expect(slept).toBeGreaterThanOrEqual(290 * dayMs);
  expect(slept).toBeLessThan(291 * dayMs);
  expect(record.activities).toEqual(['application.reconsider', 'makeCertificate', 'application.reconsider', 'application.reconsider']);
});

testIfFound('a record that stays due whatever is done does not turn its process in circles', async () => {
  const record = records.of('document/2');
  const looks = 6;
  record.onCall = () => {
    record.view = { ...record.view, isOver: record.calls.length === looks, timer: after(0) };
  };
  const slept = await run('documentReview', 'documents', { id: 2 }, 'document/2');
  expect(record.calls).toHaveLength(looks);
  expect(slept).toBeGreaterThanOrEqual((looks - 1) * 1000);
});
