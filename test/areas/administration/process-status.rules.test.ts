import { fittingActions, type ProcessStatus, processStatusOf } from '../../../src/areas/administration/processes/process-status.ts';
import type { ProcessState } from '../../../src/platform/workflows/define-process.ts';
import type { Trouble } from '../../../src/platform/workflows/process-troubles.ts';

/** The state of a process follows from its record, its failures and the clock (ADM-3). */

const now = new Date('2026-06-15T12:00:00+05:00');
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const made = ago(1000);

interface Row {
  id: number;
  dueAt: Date | null;
}

const waiting: ProcessState = { stage: 'pending', waitingFor: 'administrator', details: '', isOver: false, isDue: false, next: null };

function trouble(options: Partial<Trouble> = {}): Trouble {
  return {
    process: 'document/1',
    step: 'makeCertificate',
    kind: 'document',
    recordId: 1,
    since: ago(60),
    at: ago(1),
    tries: 1,
    code: 'cannot_be_made',
    isStuck: true,
    ...options,
  };
}

interface Options {
  state?: Partial<ProcessState>;
  dueAt?: Date | null;
  troubles?: Trouble[];
  failure?: { outcome: string; endedAt: Date };
}

function statusOf({ state = {}, dueAt = null, troubles = [], failure }: Options = {}): ProcessStatus {
  const process = {
    describe: () => ({ ...waiting, ...state }),
    since: () => made,
    dueAt: { of: (row: Row) => row.dueAt, save: async () => undefined },
  };
  return processStatusOf({ process, row: { id: 1, dueAt }, troubles, failure: failure ?? null, now });
}

test('a process waits for the actor that its record names, since its last fact', () => {
  const next = { at: new Date('2026-07-01T00:00:00+05:00'), why: 'document 1 expires' };
  expect(statusOf({ state: { next } })).toEqual({
    state: 'waiting',
    waitingFor: 'administrator',
    since: made,
    nextTimerAt: next.at,
    reason: null,
  });
});

test.each([
  ['just now', 0, 'running', null],
  ['a little less than five minutes ago', 4.99, 'running', null],
  ['five minutes ago', 5, 'stuck', 'overdue'],
  ['yesterday', 1440, 'stuck', 'overdue'],
])('due %s', (_when, minutes, state, reason) => {
  expect(statusOf({ dueAt: ago(minutes) })).toMatchObject({ state, reason, since: ago(minutes) });
});

test('a process that is due later waits', () => {
  expect(statusOf({ dueAt: new Date(now.getTime() + 1) }).state).toBe('waiting');
});

test('a process that is not due waits, also for no party: a webhook without changes', () => {
  expect(statusOf({ state: { waitingFor: 'none' } })).toMatchObject({ state: 'waiting', waitingFor: null });
});

test('a step that fails because of its record waits for support', () => {
  const expected = { state: 'stuck', waitingFor: 'support', since: ago(60), reason: 'cannot_be_made' };
  expect(statusOf({ troubles: [trouble()] })).toMatchObject(expected);
  expect(statusOf({ troubles: [trouble()], dueAt: ago(1) })).toMatchObject(expected);
});

test('a step that fails because a service is unavailable is stuck after six failures, without support', () => {
  const away = { code: 'service_unavailable', tries: 6 };
  expect(statusOf({ troubles: [trouble(away)] })).toMatchObject({
    state: 'stuck',
    waitingFor: 'administrator',
    reason: 'service_unavailable',
  });
  expect(statusOf({ troubles: [trouble({ ...away, tries: 5, isStuck: false })] })).toMatchObject({
    state: 'waiting',
    reason: 'service_unavailable',
  });
});

test('a failed look does not count when nothing is due any more', () => {
  const look = trouble({ step: 'reconsider', code: 'internal_error' });
  expect(statusOf({ troubles: [look] }).state).toBe('waiting');
  expect(statusOf({ troubles: [look], state: { isDue: true }, dueAt: ago(1) })).toMatchObject({ state: 'stuck', reason: 'internal_error' });
});

test('shows the oldest of several failures', () => {
  const troubles = [trouble({ since: ago(10), code: 'internal_error' }), trouble({ since: ago(20) })];
  expect(statusOf({ troubles })).toMatchObject({ since: ago(20), reason: 'cannot_be_made' });
});

test('a failed workflow has priority; a record that is over needs no workflow', () => {
  const failure = { outcome: 'terminated', endedAt: ago(3) };
  expect(statusOf({ failure, troubles: [trouble()], dueAt: ago(100) })).toMatchObject({
    state: 'failed',
    reason: 'terminated',
    since: ago(3),
    waitingFor: 'administrator',
  });
  const over = { isOver: true, waitingFor: 'none' as const };
  expect(statusOf({ failure, state: over, troubles: [trouble()] })).toMatchObject({ state: 'over', waitingFor: null, reason: null });
});

test('a record that cannot be described waits for support', () => {
  const describe = () => {
    throw new TypeError('a bug');
  };
  expect(processStatusOf({ process: { describe }, row: { id: 1 }, troubles: [], failure: null, now })).toMatchObject({
    state: 'stuck',
    waitingFor: 'support',
    reason: 'internal_error',
  });
});

test('a kind without a due date decides by itself what is due', () => {
  const next = { at: ago(7), why: 'next query to the bank' };
  const process = { describe: () => ({ ...waiting, isDue: true, next }) };
  expect(processStatusOf({ process, row: { id: 1 }, troubles: [], failure: null, now })).toMatchObject({
    state: 'stuck',
    since: ago(7),
    nextTimerAt: now,
  });
});

test.each([
  ['waiting', true, ['retry']],
  ['running', true, ['retry']],
  ['waiting', false, ['retry', 'restart']],
  ['stuck', true, ['retry', 'restart']],
  ['failed', false, ['retry', 'restart']],
  ['over', false, []],
] as const)('actions that fit (ADM-4): %s, workflow healthy: %s', (state, isHealthy, allowed) => {
  expect(fittingActions({ state }, { hasWorkflow: true, isHealthy, isBankAskable: false })).toEqual(allowed);
  expect(fittingActions({ state }, { hasWorkflow: true, isHealthy, isBankAskable: true })).toContain('ask_bank');
});

test('ADM-4: work without a workflow can only be retried', () => {
  expect(fittingActions({ state: 'stuck' }, { hasWorkflow: false, isHealthy: false, isBankAskable: false })).toEqual(['retry']);
});
