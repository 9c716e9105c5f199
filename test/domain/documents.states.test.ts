import fc from 'fast-check';
import { dayOf, endOfDay } from '../../src/platform/date-time.ts';
import { decide, documentStatuses, expiryInstant, hasLapsed, isExpiryDue } from '../../src/documents/states.ts';
import type { DocumentDecision, DocumentState, DocumentStatus } from '../../src/documents/states.ts';

const now = new Date('2026-06-15T12:00:00+05:00');
const valid = (status: DocumentStatus): DocumentState => ({ status, expiresAt: '2027-01-01', decidedAt: null });
const lapsed = (status: DocumentStatus): DocumentState => ({ status, expiresAt: '2026-06-14', decidedAt: null });

const anyInstant = fc.date({ min: new Date('2025-01-01T00:00:00Z'), max: new Date('2028-01-01T00:00:00Z'), noInvalidDate: true });
const anyState = fc.record({
  status: fc.constantFrom(...documentStatuses),
  expiresAt: fc.option(anyInstant.map(dayOf)),
  decidedAt: fc.option(anyInstant),
});
const anyDecision = fc.constantFrom<DocumentDecision>('approve', 'changes', 'cancel');

describe('decisions on a document', () => {
  test.each(documentStatuses.map((status) => [status]))('every decision is open on a valid %s document', (status) => {
    expect(decide(valid(status), 'approve', now)).toBe('approved');
    expect(decide(valid(status), 'changes', now)).toBe('changes');
    expect(decide(valid(status), 'cancel', now)).toBe('cancelled');
  });

  test.each(documentStatuses.map((status) => [status]))('a lapsed %s document can be returned or refused, not approved', (status) => {
    expect(decide(lapsed(status), 'approve', now)).toBeNull();
    expect(decide(lapsed(status), 'changes', now)).toBe('changes');
    expect(decide(lapsed(status), 'cancel', now)).toBe('cancelled');
  });

  test('approval is refused exactly when the document has lapsed', () => {
    fc.assert(
      fc.property(anyState, anyInstant, (state, instant) => {
        expect(decide(state, 'approve', instant) === null).toBe(hasLapsed(state, instant));
      }),
    );
  });

  test('no sequence of decisions and expiries leaves the known states, and an approved document is never past its day', () => {
    fc.assert(
      fc.property(anyState, fc.array(fc.tuple(anyDecision, fc.integer({ min: 0, max: 200 }))), anyInstant, (start, steps, from) => {
        let state = start;
        let instant = from;
        for (const [decision, days] of steps) {
          instant = new Date(instant.getTime() + days * 86_400_000);
          if (isExpiryDue(state, instant)) state = { ...state, status: 'expired' };
          const next = decide(state, decision, instant);
          if (next !== null) state = { ...state, status: next, decidedAt: instant };
          expect(documentStatuses).toContain(state.status);
          expect(state.status === 'approved' && hasLapsed(state, instant)).toBe(false);
        }
      }),
    );
  });
});

describe('expiry of a document', () => {
  test('it is valid through its last day in UTC+5 and lapses with the first instant after it', () => {
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
  ] as const)('a lapsed %s document is due: %s', (status, due) => {
    expect(isExpiryDue(lapsed(status), now)).toBe(due);
  });

  test('one returned after it had lapsed does not expire a second time', () => {
    expect(isExpiryDue({ ...lapsed('changes'), decidedAt: now }, now)).toBe(false);
    expect(isExpiryDue({ ...lapsed('changes'), decidedAt: new Date('2026-06-14T12:00:00+05:00') }, now)).toBe(true);
  });

  test('a document without a last day never expires', () => {
    fc.assert(fc.property(anyState, anyInstant, (state, instant) => !isExpiryDue({ ...state, expiresAt: null }, instant)));
  });

  test('it is due exactly from the instant the process waits for, and marking it ends the wait', () => {
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
