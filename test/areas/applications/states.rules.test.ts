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

/** The allowed pairs of status and action (APP-2); all others are refused. */
const table: [ApplicationStatus, ApplicationAction, ApplicationStatus][] = [
  ['draft', 'update', 'draft'],
  ['draft', 'submit', 'submitted'],
  ['draft', 'cancel', 'cancelled'],
  ['draft', 'close', 'closed'],
  ['submitted', 'correct', 'changes'],
  ['submitted', 'pay', 'submitted'],
  ['submitted', 'approve', 'approved'],
  ['submitted', 'return', 'changes'],
  ['submitted', 'annul', 'cancelled'],
  ['submitted', 'cancel', 'cancelled'],
  ['submitted', 'lapse', 'changes'],
  ['submitted', 'close', 'closed'],
  ['changes', 'update', 'changes'],
  ['changes', 'submit', 'submitted'],
  ['changes', 'annul', 'cancelled'],
  ['changes', 'cancel', 'cancelled'],
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

test.each(everyPair)('APP-2, and APP-17 for a fee: %s, %s', (status, action) => {
  const [, , expected] = table.find(([from, by]) => from === status && by === action) ?? [];
  for (const kind of ['national_certificate', 'international_licence', 'document'] as const) {
    expect(nextStatus({ status, kind }, action)).toBe(expected ?? null);
    expect(allowedActions({ status, kind }).includes(action)).toBe(expected !== undefined);
  }
  // A fee is only paid, settled and closed.
  const isOfFee = action === 'pay' || action === 'approve' || action === 'close';
  expect(nextStatus({ status, kind: 'event_fee' }, action)).toBe(isOfFee ? (expected ?? null) : null);
});

/** A locked row with a status. */
const inStatus = (status: ApplicationStatus) => ({ status, kind: 'document' }) as Locked<Application>;

test('a transition sets the status', () => {
  const application = inStatus('submitted');
  transition(application, 'approve');
  expect(application.status).toBe('approved');
});

test('a refusal names the status and the allowed actions and changes nothing', () => {
  const refused = expect.objectContaining({ code: 'invalid_state', details: { status: 'cancelled', allowed: [] } });
  expect(() => requireTransition({ status: 'cancelled', kind: 'document' }, 'pay')).toThrow(refused);
  const application = inStatus('cancelled');
  expect(() => transition(application, 'pay')).toThrow(refused);
  expect(application.status).toBe('cancelled');
});

test('a final status stays final, and approval needs an earlier submission', () => {
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
