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

/** Decisions.md §6 "Registrations", written out a second time: the table of the code must say the same. */
const allowed: [RegistrationStatus, RegistrationAction, RegistrationStatus][] = [
  ['draft', 'update', 'draft'],
  ['draft', 'submit', 'submitted'],
  ['draft', 'withdraw', 'withdrawn'],
  ['submitted', 'approve', 'approved'],
  ['submitted', 'return', 'returned'],
  ['submitted', 'reject', 'rejected'],
  ['submitted', 'withdraw', 'withdrawn'],
  ['returned', 'update', 'returned'],
  ['returned', 'submit', 'submitted'],
  ['returned', 'withdraw', 'withdrawn'],
  ['approved', 'withdraw', 'withdrawn'],
];

test.each(registrationStatuses.flatMap((status) => registrationActions.map((action) => [status, action] as const)))(
  '%s, %s',
  (status, action) => {
    const [, , next = null] = allowed.find(([from, by]) => from === status && by === action) ?? [];
    expect(nextStatus(status, action)).toBe(next);
  },
);

test('what has freed its place never takes it again, and nothing is decided that was not submitted', () => {
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
