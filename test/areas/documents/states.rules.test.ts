import fc from 'fast-check';
import { reminderAfter } from '../../../src/areas/documents/expiry-reminders.ts';
import {
  type DocumentAction,
  type DocumentState,
  type DocumentStatus,
  documentStatuses,
  expiryInstant,
  hasExpired,
  isExpiryDue,
  livingStatuses,
  nextStatus,
  type ReviewedDocument,
  transition,
} from '../../../src/areas/documents/states.ts';
import type { Decision } from '../../../src/areas/reviews/index.ts';
import type { Locked } from '../../../src/platform/database/lock.ts';
import { dayOf, endOfDay } from '../../../src/platform/time/date-time.ts';

const now = new Date('2026-06-15T12:00:00+05:00');
const valid = (status: DocumentStatus): DocumentState => ({ status, expiresAt: '2027-01-01', decidedAt: null });
const expired = (status: DocumentStatus): DocumentState => ({ status, expiresAt: '2026-06-14', decidedAt: null });

const anyInstant = fc.date({ min: new Date('2025-01-01T00:00:00Z'), max: new Date('2028-01-01T00:00:00Z'), noInvalidDate: true });
const anyState = fc.record({
  status: fc.constantFrom(...documentStatuses),
  expiresAt: fc.option(anyInstant.map(dayOf)),
  decidedAt: fc.option(anyInstant),
});
const anyDecision = fc.constantFrom<Decision>('approve', 'changes', 'cancel');
const anyAction = fc.constantFrom<DocumentAction>('approve', 'changes', 'cancel', 'edit', 'expire', 'outdate', 'lose_file');

// DOC-2
describe('decisions on a document', () => {
  test.each(documentStatuses.map((status) => [status]))('every decision is possible on a valid %s document', (status) => {
    expect(nextStatus(valid(status), 'approve', now)).toBe('approved');
    expect(nextStatus(valid(status), 'changes', now)).toBe('changes');
    expect(nextStatus(valid(status), 'cancel', now)).toBe('cancelled');
  });

  test.each(documentStatuses.map((status) => [status]))('an expired %s document can be returned or refused, not approved', (status) => {
    expect(nextStatus(expired(status), 'approve', now)).toBeNull();
    expect(nextStatus(expired(status), 'changes', now)).toBe('changes');
    expect(nextStatus(expired(status), 'cancel', now)).toBe('cancelled');
  });

  test('approval is refused exactly when the document has expired', () => {
    fc.assert(
      fc.property(anyState, anyInstant, (state, instant) => {
        expect(nextStatus(state, 'approve', instant) === null).toBe(hasExpired(state, instant));
      }),
    );
  });

  test('no sequence of decisions and expiries leaves the known statuses or approves an expired document', () => {
    fc.assert(
      fc.property(anyState, fc.array(fc.tuple(anyDecision, fc.integer({ min: 0, max: 200 }))), anyInstant, (start, steps, from) => {
        let state = start;
        let instant = from;
        for (const [decision, days] of steps) {
          instant = new Date(instant.getTime() + days * 86_400_000);
          if (isExpiryDue(state, instant)) state = { ...state, status: 'expired' };
          const next = nextStatus(state, decision, instant);
          if (next !== null) state = { ...state, status: next, decidedAt: instant };
          expect(documentStatuses).toContain(state.status);
          expect(state.status === 'approved' && hasExpired(state, instant)).toBe(false);
        }
      }),
    );
  });
});

describe('what may happen to a document', () => {
  // Only the type is a locked row: the test holds no lock.
  const held = (state: DocumentState) => ({ ...state, remindAt: null, statusSince: now }) as Locked<ReviewedDocument>;

  test('`transition` follows the table, or throws and changes nothing', () => {
    fc.assert(
      fc.property(anyState, anyAction, anyInstant, (state, action, instant) => {
        const document = held(state);
        const next = nextStatus(state, action, instant);
        if (next === null) {
          const details = { status: state.status, expires_at: state.expiresAt };
          expect(() => transition(document, action, instant)).toThrow(expect.objectContaining({ code: 'invalid_state', details }));
        } else {
          transition(document, action, instant);
        }
        const isApproved = next === 'approved' && state.expiresAt !== null;
        const remindAt = isApproved ? reminderAfter(state.expiresAt ?? '', instant) : null;
        // REV-3: a change of a waiting document leaves its place in the queue.
        const statusSince = next === null || next === state.status ? now : instant;
        expect(document).toEqual({ ...state, status: next ?? state.status, remindAt, statusSince });
      }),
    );
  });

  test('a change by the owner leads to `pending` from every status (DOC-7)', () => {
    fc.assert(fc.property(anyState, anyInstant, (state, instant) => nextStatus(state, 'edit', instant) === 'pending'));
  });

  test('a deleted file returns pending and approved documents only (DOC-8)', () => {
    const movedBy = documentStatuses.filter((status) => nextStatus(valid(status), 'lose_file', now) === 'changes');
    expect(movedBy).toEqual(['pending', 'approved']);
    expect(documentStatuses.filter((status) => nextStatus(valid(status), 'lose_file', now) === null)).toEqual([
      'changes',
      'cancelled',
      'expired',
    ]);
  });

  test('a last day corrected to a past one expires exactly the live documents (DOC-6)', () => {
    fc.assert(
      fc.property(anyState, anyInstant, (state, instant) => {
        const isLiving = (livingStatuses as readonly DocumentStatus[]).includes(state.status);
        expect(nextStatus(state, 'outdate', instant)).toBe(isLiving && hasExpired(state, instant) ? 'expired' : null);
      }),
    );
  });

  test('exactly the live documents can expire (DOC-1)', () => {
    expect(documentStatuses.filter((status) => nextStatus(expired(status), 'expire', now) === 'expired')).toEqual(
      documentStatuses.filter((status) => (livingStatuses as readonly DocumentStatus[]).includes(status)),
    );
  });
});

// DOC-1
describe('expiry of a document', () => {
  test('is at the first instant after the last day in UTC+5', () => {
    const document = { status: 'approved', expiresAt: '2026-06-15', decidedAt: null } as const;
    expect(isExpiryDue(document, new Date('2026-06-15T23:59:59.999+05:00'))).toBe(false);
    expect(isExpiryDue(document, new Date('2026-06-16T00:00:00+05:00'))).toBe(true);
  });

  test.each([
    ['pending', true],
    ['approved', true],
    ['changes', true],
    ['cancelled', false],
    ['expired', false],
  ] as const)('a %s document after its last day is due: %s', (status, due) => {
    expect(isExpiryDue(expired(status), now)).toBe(due);
  });

  test('happens once: a document returned after its expiry does not expire again', () => {
    expect(isExpiryDue({ ...expired('changes'), decidedAt: now }, now)).toBe(false);
    expect(isExpiryDue({ ...expired('changes'), decidedAt: new Date('2026-06-14T12:00:00+05:00') }, now)).toBe(true);
  });

  test('never happens without a last day', () => {
    fc.assert(fc.property(anyState, anyInstant, (state, instant) => !isExpiryDue({ ...state, expiresAt: null }, instant)));
  });

  test('is due exactly from the instant that the process waits for, and ends the wait', () => {
    fc.assert(
      fc.property(anyState, anyInstant, (state, instant) => {
        const expiry = expiryInstant(state);
        expect(isExpiryDue(state, instant)).toBe(expiry !== null && instant >= expiry);
        if (expiry !== null) {
          expect(expiry).toEqual(endOfDay(state.expiresAt ?? ''));
          expect(expiryInstant({ ...state, status: 'expired' })).toBeNull();
        }
      }),
    );
  });
});
