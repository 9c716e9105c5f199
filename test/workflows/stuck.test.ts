import { ApplicationFailure } from '@temporalio/common';
import { processRef, type ProcessRef } from '../../src/platform/workflows/process-ref.ts';
import { type ProcessView, reconsiderUpdate, wakeSignal } from '../../workflows/contracts/process.contract.ts';
import { waitFor } from '../support/wait-for.ts';
import { administrator, type Shown, startTestEngine, type TestEngine } from './engine.ts';
import { FakeRecords } from './fake-record.ts';

/** A process whose step fails permanently shows it, accepts commands, and retries after a wake-up. */
const records = new FakeRecords();
let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine(records.activities());
});
afterAll(() => engine.close());

const approved: ProcessView = {
  stage: 'approved',
  waitingFor: 'date',
  details: 'Approved.',
  isOver: false,
  isDue: false,
  timer: null,
};
const cancelled: ProcessView = { ...approved, stage: 'cancelled', waitingFor: 'none', details: 'Over: cancelled.', isOver: true };

const until = (process: ProcessRef, what: string, isSo: (shown: Shown) => boolean) => waitFor(() => engine.describe(process), isSo, what);
const untilStuck = (process: ProcessRef) => until(process, 'the process to be stuck', ({ waitingFor }) => waitingFor === 'support');

describe('an own step of a process', () => {
  /** An application whose own step cannot succeed. */
  function poisoned(id: number) {
    const process = processRef('application', id);
    const record = records.of(process);
    record.view = { ...approved, stage: 'submitted', waitingFor: 'owner', details: 'Submitted.', isDue: true };
    const cure = () => (record.onCall = () => undefined);
    record.onCall = ({ activity }) => {
      if (activity === 'application.reconsider')
        throw ApplicationFailure.create({ message: 'the step failed: TypeError', type: 'internal_error' });
    };
    return { process, record, cure };
  }

  test.concurrent('that cannot succeed shows its process as stuck, blocks no command, and is retried after a wake-up', async () => {
    const { process, record, cure } = poisoned(1);
    await engine.processes.wake({ process, requestId: 'request-of-wake' });
    expect(await untilStuck(process)).toMatchObject({
      status: 'RUNNING',
      requestId: 'request-of-wake',
      details: 'Stuck. Waits for support: the step failed: TypeError',
    });
    expect(record.activities).toHaveLength(4);

    const options = administrator();
    await engine.processes.command(process, 'pay', {}, options);
    // The due step is still due, and fails.
    expect(await engine.describe(process)).toMatchObject({ stage: 'submitted', waitingFor: 'support', requestId: options.requestId });
    await expect(engine.processes.ask(process, reconsiderUpdate.name, 'request-of-support')).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    // One attempt, not four: later commands wait no longer.
    expect(record.activities.slice(4)).toEqual(['application.pay', 'application.reconsider']);

    cure();
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-support');
    expect(await engine.describe(process)).toMatchObject({ stage: 'submitted', waitingFor: 'owner', details: 'Submitted.' });
  });

  test('a command that fails after a change of its record makes the process look again', async () => {
    const process = processRef('invoice', 30);
    const record = records.of(process);
    await engine.processes.command(process, 'checkout', {}, administrator());
    record.onCall = ({ activity }) => {
      if (activity !== 'verifyInvoice') return;
      // The bank's answer was recorded, then the database failed.
      record.view = { ...record.view, stage: 'paid', waitingFor: 'none', isOver: true };
      throw ApplicationFailure.nonRetryable('A part of the service cannot be reached now.', 'service_unavailable');
    };
    const verification = engine.processes.command(process, 'verify', {}, administrator());
    await expect(verification).rejects.toMatchObject({ code: 'service_unavailable' });
    await until(process, 'the process to end', ({ status }) => status === 'COMPLETED');
  });

  test.concurrent('does not prevent cancellation: an ended process is not stuck', async () => {
    const { process, record } = poisoned(2);
    await engine.processes.wake({ process, requestId: 'request-of-wake' });
    await untilStuck(process);
    record.view = cancelled;
    await engine.processes.command(process, 'cancel', {}, administrator());
    await engine.client.workflow.getHandle(process).result();
    expect(await engine.describe(process)).toMatchObject({ status: 'COMPLETED', stage: 'cancelled', waitingFor: 'none' });
  });

  test('that is refused does not end the process', async () => {
    const { process, record } = poisoned(3);
    record.onCall = ({ activity }) => {
      if (activity === 'application.reconsider')
        throw ApplicationFailure.create({
          message: 'The wallet does not hold enough money.',
          type: 'insufficient_funds',
          nonRetryable: true,
        });
    };
    await engine.processes.wake({ process, requestId: 'request-of-wake' });
    expect((await untilStuck(process)).status).toBe('RUNNING');
    expect(record.activities).toEqual(['application.reconsider']);
  });

  test.concurrent('that fails during an outage is retried automatically, without a call to support, and commands are served in the meantime', async () => {
    const process = processRef('document', 1);
    const record = records.of(process);
    let isAway = true;
    record.onCall = ({ activity }) => {
      if (activity === 'document.reconsider' && isAway)
        throw ApplicationFailure.create({ message: 'A part of the service cannot be reached now.', type: 'service_unavailable' });
    };
    await engine.processes.wake({ process, requestId: 'request-of-wake' });
    await waitFor(
      () => record.activities.length,
      (count) => count >= 4,
      'the attempts of one turn',
    );
    await engine.processes.command(process, 'review', { decision: 'approve' }, administrator());
    expect((await engine.describe(process)).waitingFor).toBe('administrator');
    record.view = { ...record.view, isDue: true };
    await engine.processes.wake({ process, requestId: 'request-of-wake' });
    const tries = () => record.activities.filter((activity) => activity === 'document.reconsider').length;
    const before = tries();
    await waitFor(tries, (count) => count > before, 'a try that fails');
    isAway = false;
    record.view = { ...record.view, stage: 'expired', isOver: true, isDue: false };
    await engine.client.workflow.getHandle(process).result();
    expect((await engine.describe(process)).stage).toBe('expired');
  });
});

test('a secret that cannot be closed shows its process as stuck and is retried later', async () => {
  const process = processRef('captcha', 'a-poisoned-session');
  records.of(process).onCall = () => {
    throw new TypeError('a bug');
  };
  await engine.client.workflow.start('oneTimeSecret', {
    workflowId: process,
    taskQueue: 'registry',
    args: [{ kind: 'captcha', holder: 'a-poisoned-session' }],
  });
  expect(await untilStuck(process)).toMatchObject({ status: 'RUNNING', details: 'Stuck. Waits for support: a bug' });
  expect(records.of(process).activities).toHaveLength(4);
});

describe('a certificate that is impossible because of its record', () => {
  const problem = 'The certificate cannot be made: its photo is not in the storage.';

  test('is tried once, shows the process as stuck, blocks no command, and is made after the record is repaired', async () => {
    const process = processRef('application', 10);
    const record = records.of(process);
    record.view = approved;
    record.onCall = ({ activity }) => {
      if (activity === 'makeCertificate') throw ApplicationFailure.nonRetryable(problem, 'cannot_be_made');
    };
    const tries = () => record.activities.filter((activity) => activity === 'makeCertificate').length;
    await engine.processes.command(process, 'pay', {}, administrator());
    expect(await untilStuck(process)).toMatchObject({ stage: 'approved', details: `Stuck. Waits for support: ${problem} Approved.` });
    expect(tries()).toBe(1);

    // A request for it gets the reason immediately, without a new attempt.
    await expect(engine.processes.ask(process, 'certificate', 'request-of-owner')).rejects.toMatchObject({
      code: 'cannot_be_made',
      message: problem,
    });
    expect(tries()).toBe(1);
    expect((await engine.describe(process)).requestId).toBe('request-of-owner');

    record.onCall = () => undefined;
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-support');
    await engine.processes.ask(process, 'certificate', 'request-of-owner');
    expect(tries()).toBe(2);
    expect(await engine.describe(process)).toMatchObject({ status: 'RUNNING', waitingFor: 'date', details: 'Approved.' });

    record.view = cancelled;
    await engine.processes.command(process, 'cancel', {}, administrator());
    await engine.client.workflow.getHandle(process).result();
  });

  test('is reported to the first request, before the process has looked at its record', async () => {
    const process = processRef('application', 11);
    const record = records.of(process);
    record.view = approved;
    record.onCall = ({ activity }) => {
      if (activity === 'makeCertificate') throw ApplicationFailure.nonRetryable(problem, 'cannot_be_made');
    };
    const asked = engine.processes.ask(process, 'certificate', 'request-of-owner');
    await expect(asked).rejects.toMatchObject({ code: 'cannot_be_made' });
    expect((await untilStuck(process)).status).toBe('RUNNING');
  });
});

describe('the request that a process shows', () => {
  const expectRequest = async (process: ProcessRef, requestId: string) =>
    expect(await engine.describe(process)).toMatchObject({ requestId, memoRequestId: requestId });
  const untilRequest = (process: ProcessRef, requestId: string) =>
    until(process, `the process to show ${requestId}`, (shown) => shown.requestId === requestId && shown.memoRequestId === requestId);

  test.concurrent('is that of a refused or failed command', async () => {
    const process = processRef('document', 20);
    const record = records.of(process);
    await engine.processes.command(process, 'review', { decision: 'approve' }, administrator());
    for (const failure of [ApplicationFailure.nonRetryable('not now', 'invalid_state'), new TypeError('a bug')]) {
      record.onCall = () => {
        throw failure;
      };
      const options = administrator();
      await expect(engine.processes.command(process, 'review', { decision: 'approve' }, options)).rejects.toThrow();
      await expectRequest(process, options.requestId);
      expect((await engine.describe(process)).stage).toBe('pending');
    }
  });

  test('is that of a request for the certificate', async () => {
    const process = processRef('application', 20);
    records.of(process).view = approved;
    await engine.processes.command(process, 'pay', {}, administrator());
    await engine.processes.ask(process, 'certificate', 'request-of-certificate');
    await expectRequest(process, 'request-of-certificate');
  });

  test('is that of a wake-up during another message', async () => {
    const process = processRef('document', 21);
    const record = records.of(process);
    await engine.processes.command(process, 'review', { decision: 'approve' }, administrator());
    const signal = (requestId: string) => engine.client.workflow.getHandle(process).signal(wakeSignal, { requestId });
    record.onCall = async ({ activity }) => {
      if (activity === 'document.review') await signal('request-during-command');
    };
    await engine.processes.command(process, 'review', { decision: 'approve' }, administrator());
    await untilRequest(process, 'request-during-command');
    let looks = 0;
    record.onCall = async () => {
      looks += 1;
      if (looks === 1) await signal('request-during-look');
    };
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-look');
    await untilRequest(process, 'request-during-look');
    const options = administrator();
    await engine.processes.command(process, 'review', { decision: 'approve' }, options);
    await expectRequest(process, options.requestId);
  });
});
