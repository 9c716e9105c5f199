import { TestWorkflowEnvironment } from '@temporalio/testing';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { heartbeating } from '../../activities/heartbeating.ts';
import { environment } from '../../src/registry/config.ts';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { findTemporalCli } from '../../src/tools/embedded/temporal/find-cli.ts';
import { reconsiderUpdate, wakeSignal } from '../../workflows/contracts/process.contract.ts';
import { waitFor } from '../support/wait-for.ts';
import { installTemporalRuntime } from '../support/temporal-runtime.ts';
import { administrator, startTestEngine, type TestEngine } from './engine.ts';
import { FakeRecords } from './fake-record.ts';

/** A separate server, which suggests a new run after a hundred events instead of four thousand. */
const suggestAfterEvents = 100;
const records = new FakeRecords();
let server: TestWorkflowEnvironment | undefined;
let engine: TestEngine;
beforeAll(async () => {
  installTemporalRuntime();
  const path = await findTemporalCli({ dataDir: resolve(projectDirectory, '.data'), env: environment() });
  const limit = `limit.historyCount.suggestContinueAsNew=${suggestAfterEvents}`;
  server = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'existing-path', path }, extraArgs: ['--dynamic-config-value', limit] },
  });
  engine = await startTestEngine(records.activities(), server.address);
});
afterAll(async () => {
  await engine?.close();
  await server?.teardown();
});

const approve = { decision: 'approve' } as const;

test('a process with a long history continues as new, and no command is lost or done twice', async () => {
  const process = processRef('document', 1);
  const record = records.of(process);
  const send = () => engine.processes.command(process, 'review', approve, administrator());
  await send();
  const { runId: firstRun } = await engine.describe(process);
  const [inTurn, lanes, inLane] = [20, 4, 15];
  for (let count = 0; count < inTurn; count += 1) await send();
  const first = await engine.client.workflow.getHandle(process, firstRun).describe();
  expect(first.status.name).toBe('CONTINUED_AS_NEW');
  expect(first.historyLength).toBeLessThan(suggestAfterEvents * 1.5);

  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let count = 0; count < inLane; count += 1) await send();
    }),
  );
  const commandIds = record.calls.flatMap(({ command }) => (command === null ? [] : [command.commandId]));
  expect(commandIds).toHaveLength(1 + inTurn + lanes * inLane);
  expect(new Set(commandIds).size).toBe(commandIds.length);

  // A new run looks at its record before it can show its state.
  const shown = await waitFor(
    () => engine.describe(process),
    ({ details }) => details !== '',
    'the new run to show its state',
  );
  expect(shown).toMatchObject({ status: 'RUNNING', stage: 'pending', waitingFor: 'administrator', details: record.view.details });
});

test('a signal during continue-as-new is not lost', async () => {
  const process = processRef('document', 2);
  const record = records.of(process);
  await engine.processes.command(process, 'review', approve, administrator());
  const { runId: firstRun } = await engine.describe(process);
  // Each look costs about ten events; the last signal follows the one that made the history too long.
  for (let looks = 0; looks < 20; looks += 1) {
    await engine.client.workflow.getHandle(process).signal(wakeSignal, { requestId: 'request-of-signal' });
    await engine.client.workflow.getHandle(process).signal(wakeSignal, { requestId: 'request-of-signal' });
  }
  record.view = { stage: 'approved', waitingFor: 'none', details: 'Approved.', isOver: true, isDue: false, timer: null };
  await engine.processes.wake({ process, requestId: 'the-last-request' });
  await engine.client.workflow.getHandle(process, firstRun).result();
  expect(await engine.describe(process)).toMatchObject({
    stage: 'approved',
    requestId: 'the-last-request',
    memoRequestId: 'the-last-request',
  });
});

test('a flood of wake-ups prevents no new run, even if the own step fails permanently', async () => {
  const process = processRef('document', 3);
  const record = records.of(process);
  record.view = { ...record.view, isDue: true };
  record.onCall = async ({ activity }) => {
    if (activity !== 'document.reconsider') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
    throw new TypeError('a bug');
  };
  await engine.processes.command(process, 'review', approve, administrator());
  const { runId: firstRun } = await engine.describe(process);
  const handle = engine.client.workflow.getHandle(process);
  const dry = new AbortController();
  const flood = Promise.all(
    Array.from({ length: 3 }, async () => {
      while (!dry.signal.aborted) {
        await handle.signal(wakeSignal, { requestId: 'request-of-flood' });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }),
  );
  try {
    for (let count = 0; count < 5; count += 1) await engine.processes.command(process, 'review', approve, administrator());
    await waitFor(
      async () => (await engine.client.workflow.getHandle(process, firstRun).describe()).status.name,
      (status) => status === 'CONTINUED_AS_NEW',
      'a new run during the flood',
    );
  } finally {
    dry.abort();
    await flood;
  }
  expect((await engine.client.workflow.getHandle(process, firstRun).describe()).historyLength).toBeLessThan(suggestAfterEvents * 8);
  record.onCall = () => undefined;
  await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-support');
  expect(await engine.describe(process)).toMatchObject({ status: 'RUNNING', waitingFor: 'administrator', requestId: 'request-of-support' });
});

test('the next run keeps the last request of a process', async () => {
  const process = processRef('document', 4);
  await engine.processes.command(process, 'review', approve, administrator());
  const { runId: firstRun } = await engine.describe(process);
  for (;;) {
    const options = administrator();
    await engine.processes.command(process, 'review', approve, options);
    const first = await engine.client.workflow.getHandle(process, firstRun).describe();
    if (first.status.name === 'RUNNING') continue;
    const shown = await waitFor(
      () => engine.describe(process),
      ({ details }) => details !== '',
      'the new run to show its state',
    );
    expect(shown).toMatchObject({ requestId: options.requestId, memoRequestId: options.requestId });
    break;
  }
});

test('long work of a run has ended before the next run begins it again', async () => {
  const process = processRef('national-export', 1);
  const record = records.of(process);
  record.view = { ...record.view, stage: 'pending', waitingFor: 'none' };
  const builds = { running: 0, atOnce: 0, ended: 0 };
  record.onCall = async ({ activity }) => {
    if (activity !== 'buildNationalExport') return;
    builds.running += 1;
    builds.atOnce = Math.max(builds.atOnce, builds.running);
    await heartbeating(async (signal) => signal.aborted || once(signal, 'abort'));
    builds.running -= 1;
    builds.ended += 1;
  };
  await engine.processes.wake({ process, requestId: 'request-of-export' });
  await waitFor(
    () => builds.running,
    (running) => running === 1,
    'the first build to run',
  );
  const { runId: firstRun } = await engine.describe(process);
  const handle = engine.client.workflow.getHandle(process);
  await waitFor(
    async () => {
      await handle.signal(wakeSignal, { requestId: 'request-of-export' });
      return (await engine.client.workflow.getHandle(process, firstRun).describe()).status.name;
    },
    (status) => status === 'CONTINUED_AS_NEW',
    'a new run to begin',
  );
  await waitFor(
    () => builds,
    ({ running, ended }) => ended === 1 && running === 1,
    'the new run to begin its own build',
  );
  expect(builds.atOnce).toBe(1);
});

test('a long sweep continues as new, and its report is complete', async () => {
  const pages = 40;
  const sweeper = records.of('sweeper');
  records.pagesOfDue = pages;
  const { runId } = await engine.client.workflow
    .start('sweep', {
      workflowId: 'sweep/long',
      taskQueue: 'registry',
      args: [{ requestId: 'request-of-sweep' }],
    })
    .then(({ firstExecutionRunId }) => ({ runId: firstExecutionRunId }));
  const report = await engine.client.workflow.getHandle('sweep/long').result();
  expect((await engine.client.workflow.getHandle('sweep/long', runId).describe()).status.name).toBe('CONTINUED_AS_NEW');
  expect(sweeper.calls.filter(({ args }) => String(args).startsWith('due_document'))).toHaveLength(pages);
  const sum = (from: number, count: number) => (count * (2 * from + count - 1)) / 2;
  expect(report).toEqual({
    driven: { due_document: sum(1, pages), due_application: pages + 1, expired_data: pages + 2 },
  });
});
