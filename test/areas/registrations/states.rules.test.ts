import fc from 'fast-check';
import {
  isLiving,
  livingStatuses,
  nextStatus,
  type RegistrationAction,
  registrationActions,
  type RegistrationStatus,
  registrationStatuses,
} from '../../../src/areas/registrations/states.ts';

/** Allowed actions by status (REG-5, REG-9, REG-12), written independently of the code's table. */
const allowed: [RegistrationStatus, RegistrationAction, RegistrationStatus][] = [
  ['draft', 'update', 'draft'],
  ['draft', 'submit', 'submitted'],
  ['draft', 'withdraw', 'withdrawn'],
  ['waiting', 'offer', 'offered'],
  ['waiting', 'withdraw', 'withdrawn'],
  ['offered', 'accept', 'submitted'],
  ['offered', 'requeue', 'waiting'],
  ['offered', 'withdraw', 'withdrawn'],
  ['submitted', 'approve', 'approved'],
  ['submitted', 'return', 'returned'],
  ['submitted', 'reject', 'rejected'],
  ['submitted', 'withdraw', 'withdrawn'],
  ['returned', 'update', 'returned'],
  ['returned', 'submit', 'submitted'],
  ['returned', 'withdraw', 'withdrawn'],
  ['approved', 'number', 'approved'],
  ['approved', 'withdraw', 'withdrawn'],
];

test.each(registrationStatuses.flatMap((status) => registrationActions.map((action) => [status, action] as const)))(
  '%s, %s',
  (status, action) => {
    const [, , next = null] = allowed.find(([from, by]) => from === status && by === action) ?? [];
    expect(nextStatus(status, action)).toBe(next);
  },
);

test('a freed place is never taken back, and only submitted registrations are decided (REG-2, REG-5)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...registrationActions)), (actions) => {
      let status: RegistrationStatus = 'draft';
      for (const action of actions) {
        const next: RegistrationStatus | null = nextStatus(status, action);
        if (next === null) continue;
        if (['approve', 'return', 'reject'].includes(action)) expect(status).toBe('submitted');
        expect(isLiving(status)).toBe(true);
        status = next;
      }
      expect(isLiving(status)).toBe(livingStatuses.some((living) => living === status));
    }),
  );
});
