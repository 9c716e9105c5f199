import fc from 'fast-check';
import {
  allowedActions,
  applicationActions,
  applicationStatuses,
  isLive,
  nextStatus,
  requireTransition,
} from '../../src/applications/states.ts';
import type { ApplicationAction, ApplicationStatus } from '../../src/applications/states.ts';

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
  expect(nextStatus(status, action)).toBe(expected ?? null);
  expect(allowedActions(status).includes(action)).toBe(expected !== undefined);
});

test('a refusal names the status and what it allows', () => {
  expect(() => requireTransition('cancelled', 'pay')).toThrow(
    expect.objectContaining({ code: 'invalid_state', details: { status: 'cancelled', allowed: [] } }),
  );
});

test('what is over stays over, and nothing is issued without being submitted', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...applicationActions), { maxLength: 40 }), (actions) => {
      let status: ApplicationStatus = 'draft';
      let isSubmitted = false;
      for (const action of actions) {
        const before: ApplicationStatus = status;
        status = nextStatus(status, action) ?? status;
        isSubmitted ||= status === 'submitted';
        if (!isLive(before)) expect(status).toBe(before);
        if (status === 'approved') expect(isSubmitted).toBe(true);
      }
    }),
  );
});
