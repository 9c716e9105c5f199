import { resolve } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { environment } from '../../src/config.ts';
import { projectDirectory } from '../../src/embedded/scripts.ts';
import { findTemporalCli } from '../../src/embedded/temporal/find-cli.ts';
import { processRef } from '../../src/platform/process-ref.ts';
import { reviewDocumentUpdate } from '../../workflows/document-review.contract.ts';
import { factsChangedSignal } from '../../workflows/process.contract.ts';
import { waitFor } from '../support/wait-for.ts';
import { administrator, quietRuntime, startTestEngine } from './engine.ts';
import type { TestEngine } from './engine.ts';
import { FakeRecords } from './fake-record.ts';

/** A server of its own, which asks for a new run after a hundred events instead of four thousand. */
const suggestAfterEvents = 100;
const records = new FakeRecords();
let server: TestWorkflowEnvironment | undefined;
let engine: TestEngine;
beforeAll(async () => {
  quietRuntime();
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

const approve = { decision: 'approve', privateInputId: null } as const;

test('a process whose history has grown long goes on in a new run, and no command is lost or done twice', async () => {
  const process = processRef('document', 1);
  const record = records.of(process);
  const send = () => engine.processes.command(process, reviewDocumentUpdate, approve, administrator());
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

  // A new run has to look at its record before it can say how it stands.
  const shown = await waitFor(
    () => engine.describe(process),
    ({ details }) => details !== '',
    'the new run to show how it stands',
  );
  expect(shown).toMatchObject({ status: 'RUNNING', stage: 'pending', waitingFor: 'administrator', details: record.view.details });
});

test('a signal that comes while the runs change is not lost', async () => {
  const process = processRef('document', 2);
  const record = records.of(process);
  await engine.processes.command(process, reviewDocumentUpdate, approve, administrator());
  const { runId: firstRun } = await engine.describe(process);
  // Each look costs about ten events; the last signal follows the one that made the history too long.
  for (let looks = 0; looks < 20; looks += 1) {
    await engine.client.workflow.getHandle(process).signal(factsChangedSignal);
    await engine.client.workflow.getHandle(process).signal(factsChangedSignal);
  }
  record.view = { stage: 'approved', waitingFor: 'nobody', details: 'Approved.', isOver: true, wakeAfterMs: null };
  await engine.processes.touch(process, 'the-last-request');
  await engine.client.workflow.getHandle(process, firstRun).result();
  expect((await engine.describe(process)).stage).toBe('approved');
});
