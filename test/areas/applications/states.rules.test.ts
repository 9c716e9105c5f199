import fc from 'fast-check';
import type { Application } from '../../../src/areas/applications/entities.ts';
import {
  allowedActions,
  type ApplicationAction,
  applicationActions,
  type ApplicationStatus,
  applicationStatuses,
  isLiving,
  nextStatus,
  requireTransition,
  transition,
} from '../../../src/areas/applications/states.ts';
import type { Locked } from '../../../src/platform/database/lock.ts';

/** State x action, as service.md "Application" and decisions.md §4 tell it; everything else is refused. */
const table: [ApplicationStatus, ApplicationAction, ApplicationStatus][] = [
  ['draft', 'update', 'draft'],
  ['draft', 'submit', 'submitted'],
  ['draft', 'withdraw', 'cancelled'],
  ['draft', 'close', 'closed'],
  ['submitted', 'correct', 'changes'],
  ['submitted', 'pay', 'submitted'],
  ['submitted', 'approve', 'approved'],
  ['submitted', 'return', 'changes'],
  ['submitted', 'annul', 'cancelled'],
  ['submitted', 'withdraw', 'cancelled'],
  ['submitted', 'lapse', 'changes'],
  ['submitted', 'close', 'closed'],
  ['changes', 'update', 'changes'],
  ['changes', 'submit', 'submitted'],
  ['changes', 'annul', 'cancelled'],
  ['changes', 'withdraw', 'cancelled'],
  ['changes', 'close', 'closed'],
  ['approved', 'correct', 'approved'],
  ['approved', 'submit', 'approved'],
  ['approved', 'approve', 'approved'],
  ['approved', 'return', 'changes'],
  ['approved', 'annul', 'cancelled'],
  ['approved', 'lapse', 'changes'],
  ['approved', 'close', 'closed'],
];

const everyPair = applicationStatuses.flatMap((status) => applicationActions.map((action) => [status, action] as const));

test.each(everyPair)('%s, %s', (status, action) => {
  const [, , expected] = table.find(([from, by]) => from === status && by === action) ?? [];
  for (const kind of ['national_certificate', 'international_licence', 'document'] as const) {
    expect(nextStatus({ status, kind }, action)).toBe(expected ?? null);
    expect(allowedActions({ status, kind }).includes(action)).toBe(expected !== undefined);
  }
  // A fee is paid, settled and closed; the rest happens to its event.
  const isOfFee = action === 'pay' || action === 'approve' || action === 'close';
  expect(nextStatus({ status, kind: 'event_fee' }, action)).toBe(isOfFee ? (expected ?? null) : null);
});

/** A row as a command holds it. */
const inStatus = (status: ApplicationStatus) => ({ status, kind: 'document' }) as Locked<Application>;

test('a transition takes the application there', () => {
  const application = inStatus('submitted');
  transition(application, 'approve');
  expect(application.status).toBe('approved');
});

test('a refusal names the status and what it allows, and leaves the application as it is', () => {
  const refused = expect.objectContaining({ code: 'invalid_state', details: { status: 'cancelled', allowed: [] } });
  expect(() => requireTransition({ status: 'cancelled', kind: 'document' }, 'pay')).toThrow(refused);
  const application = inStatus('cancelled');
  expect(() => transition(application, 'pay')).toThrow(refused);
  expect(application.status).toBe('cancelled');
});

test('what is over stays over, and nothing is issued without being submitted', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...applicationActions), { maxLength: 40 }), (actions) => {
      let status: ApplicationStatus = 'draft';
      let isSubmitted = false;
      for (const action of actions) {
        const before: ApplicationStatus = status;
        status = nextStatus({ status, kind: 'document' }, action) ?? status;
        isSubmitted ||= status === 'submitted';
        if (!isLiving(before)) expect(status).toBe(before);
        if (status === 'approved') expect(isSubmitted).toBe(true);
      }
    }),
  );
});
