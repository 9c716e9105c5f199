import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { reconsiderUpdate } from '../../workflows/contracts/process.contract.ts';
import { administrator, startTestEngine, type TestEngine } from './engine.ts';
import { FakeRecords } from './fake-record.ts';

/** The effect of each message of each process. */
const records = new FakeRecords();
let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine(records.activities());
});
afterAll(() => engine.close());

describe('an application', () => {
  const review = { decision: 'approve', revision: 3, validFrom: '2026-02-01', validUntil: null } as const;

  test('runs each command', async () => {
    const process = processRef('application', 1);
    const record = records.of(process);
    await engine.processes.command(process, 'submit', {}, administrator());
    await engine.processes.command(process, 'pay', {}, administrator());
    await engine.processes.command(process, 'review', review, administrator());
    await engine.processes.command(process, 'cancel', {}, { ...administrator(), privateInputId: 'a-reason' });
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-look');
    expect(record.activities).toEqual([
      'application.submit',
      'application.pay',
      'application.review',
      'application.cancel',
      'application.reconsider',
    ]);
    expect(record.calls.map(({ command }) => command?.args)).toEqual([{}, {}, review, {}, undefined]);
    expect(record.calls.map(({ command }) => command?.privateInputId)).toEqual([null, null, null, 'a-reason', undefined]);
    const described = await engine.client.workflow.getHandle(process).describe();
    expect(described.typedSearchAttributes.getAll().find(({ key }) => key.name === 'ApplicationId')?.value).toBe('1');
  });

  test('makes its certificate once after its approval, without blocking the approval', async () => {
    const process = processRef('application', 2);
    const record = records.of(process);
    let finish = () => {};
    const drawn = new Promise<void>((resolve) => (finish = resolve));
    record.onCall = ({ activity }) => (activity === 'makeCertificate' ? drawn : undefined);
    record.view = { ...record.view, stage: 'approved', waitingFor: 'date' };
    await engine.processes.command(process, 'pay', {}, administrator());
    const asked = engine.processes.ask(process, 'certificate', 'request-of-certificate');
    await record.until('makeCertificate');
    finish();
    await asked;
    await engine.processes.ask(process, 'certificate', 'request-of-certificate');
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-look');
    expect(record.activities).toEqual(['application.pay', 'makeCertificate', 'application.reconsider']);
  });

  test.concurrent('accepts commands while its certificate cannot be made, and answers "try again" for the certificate', async () => {
    const process = processRef('application', 4);
    const record = records.of(process);
    let finish = () => {};
    const storageIsBack = new Promise<void>((resolve) => (finish = resolve));
    record.onCall = ({ activity }) => (activity === 'makeCertificate' ? storageIsBack : undefined);
    record.view = { ...record.view, stage: 'approved', waitingFor: 'date' };
    await engine.processes.command(process, 'pay', {}, administrator());
    await record.until('makeCertificate');
    const asked = engine.processes.ask(process, 'certificate', 'request-of-certificate').catch((error: unknown) => error);
    await engine.processes.command(process, 'review', review, administrator());
    expect(record.activities).toContain('application.review');
    expect(await asked).toMatchObject({ code: 'service_unavailable' });
    finish();
    await engine.processes.ask(process, 'certificate', 'request-of-certificate');
  });

  test('generates the certificate on request when the process is new', async () => {
    const process = processRef('application', 3);
    const record = records.of(process);
    record.view = { ...record.view, stage: 'approved', waitingFor: 'date' };
    await engine.processes.ask(process, 'certificate', 'request-of-certificate');
    expect(record.activities.filter((activity) => activity === 'makeCertificate')).toHaveLength(1);
  });
});

describe('an invoice', () => {
  test('runs each command', async () => {
    const process = processRef('invoice', 1);
    const record = records.of(process);
    await engine.processes.command(process, 'checkout', {}, administrator());
    await engine.processes.command(process, 'verify', {}, administrator());
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-look');
    expect(record.activities).toEqual(['invoice.checkout', 'verifyInvoice', 'invoice.reconsider']);
    record.view = { ...record.view, isDue: true };
    await engine.processes.ask(process, reconsiderUpdate.name, 'request-of-look');
    expect(record.activities.slice(3)).toEqual(['invoice.reconsider', 'reconcileInvoice']);
  });

  test.concurrent('gives up on a failing bank while a caller waits', async () => {
    const process = processRef('invoice', 4);
    const record = records.of(process);
    record.onCall = ({ activity }) => {
      if (activity === 'verifyInvoice') throw new Error('away');
    };
    await expect(engine.processes.command(process, 'verify', {}, administrator())).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(record.activities.filter((activity) => activity === 'verifyInvoice')).toHaveLength(3);
    expect((await engine.describe(process)).status).toBe('RUNNING');
  });
});

describe('a one-time secret', () => {
  const handleOf = (process: string) => engine.client.workflow.getHandle(process);

  test('waits for its expiry; a newer one replaces it', async () => {
    const process = processRef('captcha', 'a-session');
    await engine.processes.wake({ process, requestId: 'request-1' });
    const first = await handleOf(process).describe();
    const history = await handleOf(process).fetchHistory();
    const delay = history.events?.[0]?.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff;
    expect(Number(delay?.seconds)).toBe(600);
    await engine.processes.wake({ process, requestId: 'request-2' });
    expect((await engine.client.workflow.getHandle(process, first.runId).describe()).status.name).toBe('TERMINATED');
    expect((await handleOf(process).describe()).status.name).toBe('RUNNING');
    expect(records.of(process).activities).toEqual([]);
  });

  test('closes the secret at its expiry', async () => {
    const input = { kind: 'captcha', holder: 'another-session' };
    await engine.client.workflow.execute('oneTimeSecret', { workflowId: 'captcha/another-session', taskQueue: 'registry', args: [input] });
    expect(records.of('captcha/another-session').activities).toEqual(['expireSecret']);
  });
});

const sweeper = records.of('sweeper');

test('the sweeper runs its plan, activity by activity, to its end', async () => {
  const driven = await engine.processes.sweep('request-of-sweep');
  expect(sweeper.calls.map(({ args }) => args)).toEqual([
    'due_document from its beginning',
    'due_document page 1',
    'due_application from its beginning',
    'expired_data from its beginning',
  ]);
  expect(driven).toEqual({ due_document: 1 + 2, due_application: 3, expired_data: 4 });
});

test('a step of the sweeper that always ends its activity is left out, and the others run', async () => {
  sweeper.calls.length = 0;
  const poison = ApplicationFailure.nonRetryable('out of memory', 'internal_error');
  sweeper.onCall = ({ args }) => {
    if (String(args).startsWith('due_application')) throw poison;
  };
  await expect(engine.processes.sweep('request-of-sweep')).rejects.toThrow();
  expect(sweeper.calls.map(({ args }) => args).slice(-3)).toEqual([
    'due_application from its beginning',
    'due_application from its beginning, carefully',
    'expired_data from its beginning',
  ]);
});

test('each step and each timer of all processes has a summary', async () => {
  const said = new Map<string, Set<string>>();
  const silent: string[] = [];
  for await (const { workflowId, runId, type } of engine.client.workflow.list()) {
    const { events } = await engine.client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) {
      const isStep = event.markerRecordedEventAttributes?.markerName === 'core_local_activity';
      if (!isStep && !event.activityTaskScheduledEventAttributes && !event.timerStartedEventAttributes) continue;
      const { summary } = event.userMetadata ?? {};
      if (summary) said.set(type, (said.get(type) ?? new Set<string>()).add(String(defaultPayloadConverter.fromPayload(summary))));
      else silent.push(`${workflowId} event ${event.eventId}`);
    }
  }
  expect(silent).toEqual([]);
  expect([...(said.get('applicationLifecycle') ?? [])]).toEqual(
    expect.arrayContaining([
      'command: submit',
      'reads its record again',
      'generates the certificate',
      'a caller waits for the certificate',
    ]),
  );
  expect([...(said.get('sweep') ?? [])]).toEqual(['sweeps for up to 45 seconds']);
});
