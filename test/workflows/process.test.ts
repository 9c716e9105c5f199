import { ApplicationFailure } from '@temporalio/common';
import { processRef, type ProcessRef } from '../../src/platform/workflows/process-ref.ts';
import type { StartReason } from '../../src/platform/workflows/processes.ts';
import type { ReviewArgs } from '../../workflows/contracts/document.contract.ts';
import { reconsiderUpdate, searchAttributes, wakeSignal } from '../../workflows/contracts/process.contract.ts';
import { waitFor } from '../support/wait-for.ts';
import { administrator, startTestEngine, type TestEngine } from './engine.ts';
import { after, FakeRecords } from './fake-record.ts';

/** The common behaviour of all processes, tested with the simplest one, that of documents. */
const records = new FakeRecords();
let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine(records.activities());
});
afterAll(() => engine.close());

const over = { stage: 'cancelled', waitingFor: 'none', details: 'Refused.', isOver: true, isDue: false, timer: null } as const;

let documents = 0;
function newDocument() {
  documents += 1;
  const process = processRef('document', documents);
  return { process, record: records.of(process) };
}

const approve: ReviewArgs = { decision: 'approve' };
const send = (process: ProcessRef, args: ReviewArgs = approve, options = administrator()) =>
  engine.processes.command(process, 'review', args, options);
const runIdOf = async (process: ProcessRef) => (await engine.describe(process)).runId;

describe('the start of a process', () => {
  test('without a command first looks at its record', async () => {
    const { process, record } = newDocument();
    record.view = { ...record.view, details: 'Waits for an administrator to review document 1.' };
    await engine.processes.wake({ process, requestId: 'request-of-wake' });
    const shown = await waitFor(
      () => engine.describe(process),
      ({ stage }) => stage !== undefined,
      'the process to show its state',
    );
    expect(record.activities).toEqual(['document.reconsider']);
    expect(shown).toMatchObject({ status: 'RUNNING', stage: 'pending', waitingFor: 'administrator', details: record.view.details });
    expect(shown).toMatchObject({
      requestId: 'request-of-wake',
      memoRequestId: 'request-of-wake',
      summary: expect.stringContaining('Document'),
    });
  });

  test('with a command runs the command, and needs no other look', async () => {
    const { process, record } = newDocument();
    const options = administrator();
    await send(process, approve, options);
    expect(record.activities).toEqual(['document.review']);
    // The address needs a secret that this platform does not have, so it is not sent.
    const caller = { ...options.caller, ip: null };
    expect(record.calls[0]?.command).toEqual({ commandId: options.commandId, request: null, caller, args: approve, privateInputId: null });
    expect(await engine.describe(process)).toMatchObject({
      status: 'RUNNING',
      requestId: options.requestId,
      memoRequestId: options.requestId,
    });
  });
});

describe('commands', () => {
  test('run one after the other, in the order of their arrival', async () => {
    const { process, record } = newDocument();
    await send(process);
    let running = 0;
    let most = 0;
    record.onCall = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 30));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => send(process)));
    expect(most).toBe(1);
    expect(record.activities).toHaveLength(9);
  });

  test('show the newest state, request and details', async () => {
    const { process, record } = newDocument();
    await send(process);
    record.view = { stage: 'changes', waitingFor: 'owner', details: 'Waits for the owner.', isOver: false, isDue: false, timer: null };
    const options = administrator();
    await send(process, approve, options);
    expect(await engine.describe(process)).toMatchObject({
      stage: 'changes',
      waitingFor: 'owner',
      details: 'Waits for the owner.',
      requestId: options.requestId,
      memoRequestId: options.requestId,
    });
  });
});

test('the stack of a waiting process names the line that waits', async () => {
  const { process } = newDocument();
  await send(process);
  const stack = await engine.client.workflow.getHandle(process).query<string>('__stack_trace');
  expect(stack).toMatch(/EntityWorkflow\.live .*entity-workflow\.ts:\d+/);
});

describe('a refusal', () => {
  const refusal = () =>
    ApplicationFailure.create({ message: 'not now', type: 'invalid_state', nonRetryable: true, details: [{ status: 'expired' }] });

  test('reaches the caller with its code and details, and does not change the process', async () => {
    const { process, record } = newDocument();
    await send(process);
    const runId = await runIdOf(process);
    record.onCall = () => {
      throw refusal();
    };
    await expect(send(process)).rejects.toMatchObject({ code: 'invalid_state', details: { status: 'expired' } });
    expect(record.activities).toHaveLength(2);
    expect(await engine.describe(process)).toMatchObject({ status: 'RUNNING', stage: 'pending' });
    record.onCall = () => undefined;
    await send(process);
    expect(await runIdOf(process)).toBe(runId);
  });

  test('of the first command leaves a process that has looked at its record', async () => {
    const { process, record } = newDocument();
    record.onCall = ({ activity }) => {
      if (activity === 'document.review') throw refusal();
    };
    await expect(send(process)).rejects.toMatchObject({ code: 'invalid_state' });
    await record.until('document.reconsider');
    expect((await engine.describe(process)).status).toBe('RUNNING');
  });

  test('is not remembered under the command’s id: the same command may succeed later', async () => {
    const { process, record } = newDocument();
    record.onCall = () => {
      throw refusal();
    };
    await expect(send(process, approve, administrator('once'))).rejects.toMatchObject({ code: 'invalid_state' });
    record.onCall = () => undefined;
    await send(process, approve, administrator('once'));
  });
});

describe('a fault', () => {
  test('that is temporary is retried within the same command', async () => {
    const { process, record } = newDocument();
    record.onCall = () => {
      if (record.calls.length < 3) throw new Error('the database is unavailable');
    };
    await send(process);
    expect(record.activities).toEqual(['document.review', 'document.review', 'document.review']);
  });

  test.concurrent('that does not pass answers "try again" after seven attempts, and the process lives on', async () => {
    const { process, record } = newDocument();
    await send(process);
    const runId = await runIdOf(process);
    record.onCall = () => {
      throw new TypeError('a bug');
    };
    const refusal: unknown = await send(process).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'service_unavailable', message: expect.not.stringContaining('a bug') });
    // The process looks at its record again meanwhile.
    expect(record.activities.filter((activity) => activity === 'document.review')).toHaveLength(1 + 7);
    record.onCall = () => undefined;
    await send(process);
    expect(await runIdOf(process)).toBe(runId);
  });

  test.concurrent('in an own step is retried until it succeeds, while commands wait', async () => {
    const { process, record } = newDocument();
    let failures = 0;
    record.onCall = ({ activity }) => {
      if (activity !== 'document.reconsider' || failures === 3) return;
      failures += 1;
      throw new Error('the database is unavailable');
    };
    await engine.processes.wake({ process, requestId: 'request-of-wake' });
    await waitFor(
      () => failures,
      (count) => count > 0,
      'the first failure of its own step',
    );
    await send(process);
    expect(failures).toBe(3);
    expect((await engine.describe(process)).status).toBe('RUNNING');
  });
});

describe('signals', () => {
  test('that arrive twice cause at most one more look each', async () => {
    const { process, record } = newDocument();
    await send(process);
    for (let count = 0; count < 5; count += 1) await engine.processes.wake({ process, requestId: 'request-of-wake' });
    await record.until('document.reconsider');
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-look');
    expect(record.activities.length).toBeLessThanOrEqual(7);
    expect(await engine.describe(process)).toMatchObject({ status: 'RUNNING', stage: 'pending', requestId: 'request-of-look' });
  });

  test('that arrive during a step are not lost', async () => {
    const { process, record } = newDocument();
    await send(process);
    record.onCall = async ({ activity }) => {
      if (activity === 'document.review')
        await engine.client.workflow.getHandle(process).signal(wakeSignal, { requestId: 'request-of-signal' });
    };
    await send(process);
    const steps = await record.until('document.reconsider');
    expect(steps.lastIndexOf('document.reconsider')).toBeGreaterThan(steps.lastIndexOf('document.review'));
  });
});

describe('the end', () => {
  test('comes when nothing is left to wait for; the next command starts the process again', async () => {
    const { process, record } = newDocument();
    await send(process);
    const firstRun = await runIdOf(process);
    record.view = over;
    await send(process);
    await engine.client.workflow.getHandle(process, firstRun).result();
    expect(await engine.describe(process)).toMatchObject({
      runId: firstRun,
      status: 'COMPLETED',
      stage: 'cancelled',
      waitingFor: 'none',
    });

    record.view = { ...record.view, stage: 'pending', isOver: false };
    await send(process);
    expect(await engine.describe(process)).toMatchObject({ status: 'RUNNING', stage: 'pending' });
    expect(await runIdOf(process)).not.toBe(firstRun);
  });

  test.concurrent('loses no command: many parallel commands on a process that keeps ending all take effect', async () => {
    const { process, record } = newDocument();
    record.view = over;
    await Promise.all(Array.from({ length: 12 }, () => send(process)));
    // A command whose run ended is sent again with the same id. Its row of processed commands makes it take effect once; this record has no
    // such rows.
    expect(new Set(record.calls.flatMap(({ command }) => command?.commandId ?? [])).size).toBe(12);
  });
});

describe('a late start for a new record', () => {
  const waiting = { stage: 'pending', waitingFor: 'administrator', delayMs: 60_000 } as const;
  const start = (process: ProcessRef, why: StartReason) => engine.processes.start(process, waiting, { requestId: 'request-of-start', why });

  test('changes nothing while its process runs, and starts none after its completion', async () => {
    const { process, record } = newDocument();
    expect(await start(process, 'new')).toBe(true);
    expect(await start(process, 'new')).toBe(false);
    record.view = over;
    await send(process);
    const runId = await runIdOf(process);
    await engine.client.workflow.getHandle(process, runId).result();
    expect(await start(process, 'new')).toBe(false);
    expect(await engine.describe(process)).toMatchObject({ runId, status: 'COMPLETED' });
  });

  test('starts a terminated process, like an adoption starts any missing one', async () => {
    const { process, record } = newDocument();
    await send(process);
    await engine.client.workflow.getHandle(process).terminate('lost');
    expect(await start(process, 'new')).toBe(true);
    record.view = over;
    await send(process);
    await engine.client.workflow.getHandle(process).result();
    expect(await start(process, 'missing')).toBe(true);
  });
});

describe('the timer', () => {
  test.concurrent('wakes the process without a message', async () => {
    const { process, record } = newDocument();
    record.view = { ...record.view, timer: after(300) };
    record.onCall = ({ activity }) => {
      if (activity === 'document.reconsider') record.view = { ...record.view, stage: 'expired', isOver: true, isDue: false, timer: null };
    };
    await send(process);
    await engine.client.workflow.getHandle(process).result();
    expect(record.activities).toEqual(['document.review', 'document.reconsider']);
    expect((await engine.describe(process)).stage).toBe('expired');
  });

  test.concurrent('shows its date in the Temporal UI, also when only the date moves', async () => {
    const { process, record } = newDocument();
    const [hourMs, dayMs] = [3_600_000, 24 * 3_600_000];
    const dueInMs = async () => {
      const { typedSearchAttributes } = await engine.client.workflow.getHandle(process).describe();
      const dueAt = typedSearchAttributes.get(searchAttributes.dueAt);
      return dueAt === undefined ? null : dueAt.getTime() - Date.now();
    };
    expect(
      await engine.processes.start(process, { stage: 'pending', waitingFor: 'date', delayMs: hourMs }, { requestId: 'r', why: 'new' }),
    ).toBe(true);
    expect(Math.round(((await dueInMs()) ?? 0) / hourMs)).toBe(1);
    record.view = { ...record.view, timer: after(300) };
    record.onCall = ({ activity }) => {
      if (activity === 'document.reconsider') record.view = { ...record.view, timer: after(dayMs) };
    };
    await send(process);
    await waitFor(dueInMs, (ms) => Math.round((ms ?? 0) / dayMs) === 1, 'the date of tomorrow');
    record.view = { ...record.view, timer: null };
    record.onCall = () => undefined;
    await send(process);
    await waitFor(dueInMs, (ms) => ms === null, 'no date');
  });

  test.concurrent('is set again by every step', async () => {
    const { process, record } = newDocument();
    record.view = { ...record.view, timer: after(60_000) };
    await send(process);
    record.view = { ...record.view, timer: after(200) };
    record.onCall = ({ activity }) => {
      if (activity === 'document.reconsider') record.view = { ...record.view, isOver: true, isDue: false, timer: null };
    };
    await send(process);
    await engine.client.workflow.getHandle(process).result();
    expect(record.activities).toEqual(['document.review', 'document.review', 'document.reconsider']);
  });
});
