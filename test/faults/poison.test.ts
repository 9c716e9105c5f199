import { NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../src/platform/commands/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import type { ProcessView } from '../../workflows/process.contract.ts';
import { temporalAddress, workflowBundlePath } from '../support/servers.ts';
import { installTemporalRuntime } from '../support/temporal-runtime.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { waitFor } from '../support/wait-for.ts';

const caller: Caller = { actor: { kind: 'process' }, requestId: 'poison', ip: null };
const live: ProcessView = { stage: 'submitted', waitingFor: 'owner', details: 'Waits.', isOver: false, isDue: false, timer: null };
const once = { caller, commandId: randomUUID() };

let platform: Platform;
let closePlatform: () => Promise<void>;
let connection: NativeConnection;
let worker: Worker;
let running: Promise<void>;

/** Steps of an application's process of which one has a bug; the others work. */
const activities = {
  'application.submit': async () => live,
  'application.pay': async (): Promise<ProcessView> => {
    attempts += 1;
    throw new TypeError("Cannot read properties of undefined (reading 'amountMinor')");
  },
  'application.reconsider': async (id: number): Promise<ProcessView> => {
    if (id === poisonedId) throw new TypeError("Cannot read properties of undefined (reading 'amountMinor')");
    return live;
  },
  'application.cancel': async (): Promise<ProcessView> => ({ ...live, stage: 'cancelled', waitingFor: 'none', isOver: true }),
};
/** Attempts of the step with the bug. */
let attempts = 0;
/** An application whose own step meets the bug. */
const poisonedId = 3;

beforeAll(async () => {
  installTemporalRuntime();
  const started = await startTestPlatform();
  platform = started.platform;
  closePlatform = started.close;
  connection = await NativeConnection.connect({ address: await temporalAddress() });
  worker = await Worker.create({
    connection,
    namespace: started.surroundings.config.TEMPORAL_NAMESPACE,
    taskQueue: 'registry',
    workflowBundle: { codePath: await workflowBundlePath() },
    activities,
  });
  running = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await connection.close();
  await closePlatform();
});

test('a step with a bug is answered 503 after seven attempts, and the process still answers', async () => {
  const process = processRef('application', 1);
  const submit = () => platform.processes.command(process, 'submit', {}, { caller, commandId: randomUUID() });
  await submit();

  const poisoned = platform.processes.command(process, 'pay', {}, once);
  await expect(poisoned).rejects.toMatchObject({ name: 'DomainError', status: 503 });
  expect(attempts).toBe(7);

  await submit();
  expect(await platform.processes.describe(process)).toMatchObject({ status: 'running' });
});

test("a bug in a process's own step does not prevent cancellation", async () => {
  const process = processRef('application', poisonedId);
  await platform.processes.wake({ process, requestId: 'poison' });
  await waitFor(
    () => platform.processes.describe(process),
    (described) => described?.waiting_for === 'support',
    'the process to be stuck',
  );
  // A command that waited for the step's own retries would be refused after ten seconds.
  await platform.processes.command(process, 'cancel', {}, once);
  const ended = await waitFor(
    () => platform.processes.describe(process),
    (described) => described?.status === 'completed',
    'the process to end',
  );
  expect(ended?.waiting_for).toBe('none');
});

test("an answer holds neither message nor stack of a step's error", async () => {
  const refusal = await platform.processes.command(processRef('application', 2), 'pay', {}, once).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Error);
  expect((refusal as Error).message).not.toContain('amountMinor');
});
