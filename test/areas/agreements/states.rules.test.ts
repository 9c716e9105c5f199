import fc from 'fast-check';
import { nextReminder } from '../../../src/areas/agreements/contracts/process.ts';
import {
  allowedActions,
  type ContractAction,
  contractActions,
  type ContractStatus,
  contractStatuses,
  nextStatus,
} from '../../../src/areas/agreements/contracts/states.ts';

/** The expected transitions (AGR-4, AGR-6, AGR-14), written independently of the code. */
const allowed: Record<ContractStatus, Partial<Record<ContractAction, ContractStatus>>> = {
  generated: { scan: 'pending', replace: 'replaced', cancel: 'cancelled' },
  pending: { confirm: 'confirmed', reject: 'rejected', replace: 'replaced', cancel: 'cancelled' },
  confirmed: { replace: 'replaced', cancel: 'cancelled' },
  rejected: { scan: 'pending', replace: 'replaced', cancel: 'cancelled' },
  replaced: {},
  cancelled: {},
};

test.each(contractStatuses)('allowed actions while an agreement is %s', (status) => {
  for (const action of contractActions) expect([action, nextStatus(status, action)]).toEqual([action, allowed[status][action] ?? null]);
  expect(allowedActions(status)).toEqual(contractActions.filter((action) => allowed[status][action] !== undefined));
});

describe('reminders', () => {
  const day = 86_400_000;
  const since = new Date('2026-03-01T10:00:00Z');
  const contract = { status: 'generated', createdAt: since, decidedAt: null, scanUploadedAt: null, remindedAt: null } as const;

  /** Returns the instants at which a reminder is sent, of runs at these days after the beginning. */
  function notified(status: ContractStatus, looks: readonly number[]): number[] {
    const known = { ...contract, status, decidedAt: since, scanUploadedAt: since };
    let remindedAt: Date | null = null;
    return looks
      .toSorted((left, right) => left - right)
      .filter((days) => {
        const now = new Date(since.getTime() + days * day);
        const next = nextReminder({ ...known, remindedAt });
        if (next === null || next.at > now) return false;
        remindedAt = now;
        return true;
      });
  }

  test('of a missing scan after 7, 14 and 21 days, of a waiting one after three (AGR-12)', () => {
    const looks = Array.from({ length: 60 }, (_, index) => index / 2);
    expect(notified('generated', looks)).toEqual([7, 14, 21]);
    expect(notified('rejected', looks)).toEqual([7, 14, 21]);
    expect(notified('pending', looks)).toEqual([3]);
    expect(nextReminder(contract)).toMatchObject({ of: 'organizer', why: 'reminder: signed scan missing' });
    expect(nextReminder({ ...contract, status: 'pending' })).toMatchObject({
      of: 'federation',
      why: 'reminder: scan waits for the federation',
    });
    for (const status of ['confirmed', 'replaced', 'cancelled'] as const) expect(nextReminder({ ...contract, status })).toBeNull();
  });

  test('at any run times: at most three, none before its day, none twice for one day (AGR-12)', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 60, noNaN: true }), { maxLength: 30 }), (looks) => {
        const days = notified('generated', looks);
        expect(days.length).toBeLessThanOrEqual(3);
        expect(days.map((at) => Math.min(3, Math.floor(at / 7)))).toEqual([...new Set(days.map((at) => Math.min(3, Math.floor(at / 7))))]);
        expect(days.every((at) => at >= 7)).toBe(true);
      }),
    );
  });
});
