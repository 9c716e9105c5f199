import fc from 'fast-check';
import {
  firstPaymentQueryAt,
  hintedQueryAt,
  isAnswered,
  nextPaymentQueryAt,
} from '../../../src/areas/wallet/invoices/payment-query-schedule.ts';
import type { InvoiceStatus } from '../../../src/areas/wallet/invoices/states.ts';

const start = Date.parse('2026-03-01T00:00:00Z');
const hours = (count: number) => count * 3_600_000;
const expiresAt = new Date(start + hours(24));
const end = new Date(start + hours(24 * 8));
const at = (ms: number) => new Date(start + ms);

// WAL-7
test('the first query is five seconds after the checkout, and never after the expiry', () => {
  expect(firstPaymentQueryAt(expiresAt, at(0))).toEqual(at(5000));
  expect(firstPaymentQueryAt(expiresAt, at(hours(24) - 1000))).toEqual(expiresAt);
});

test.each([
  [1, 5],
  [2, 15],
  [3, 30],
  [4, 60],
  [5, 120],
  [6, 300],
  [7, 600],
  [8, 1800],
  [9, 3600],
  [10, 3600],
  [1000, 3600],
])('after query %i the next one is in %i seconds', (asked, seconds) => {
  expect(nextPaymentQueryAt({ status: 'pending', asked, expiresAt }, at(0), true)).toEqual(at(seconds * 1000));
});

test.each<[string, InvoiceStatus, number, boolean, Date | null]>([
  ['the form was never opened: only its end', 'created', hours(1), true, expiresAt],
  ['an open invoice is asked about at the very end of its time', 'pending', hours(23.5), true, expiresAt],
  ['expired: the next day', 'expired', hours(24), true, at(hours(48))],
  ['failed: the next day', 'failed', hours(1), true, at(hours(25))],
  ['expired, the bank was away: in an hour', 'expired', hours(24), false, at(hours(25))],
  ['expired: the last day ends the queries with one more', 'expired', hours(24 * 7 + 1), true, end],
  ['expired: never after eight days', 'expired', hours(24 * 8), true, null],
  ['nor when the bank was away then', 'failed', hours(24 * 9), false, null],
  ['paid: never', 'paid', hours(1), true, null],
  ['mismatch: never', 'mismatch', hours(1), true, null],
])('%s', (_, status, now, hasResponse, expected) => {
  expect(nextPaymentQueryAt({ status, asked: 30, expiresAt }, at(now), hasResponse)).toEqual(expected);
});

test('queries advance, end and stay few, with and without responses (WAL-7)', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 400, maxLength: 400 }), (responses) => {
      let status: InvoiceStatus = 'pending';
      let next: Date | null = firstPaymentQueryAt(expiresAt, at(0));
      let asked = 0;
      let askedAtExpiry = false;
      while (next !== null && asked < responses.length) {
        const now: Date = next;
        asked += 1;
        if (now >= expiresAt) {
          askedAtExpiry ||= now.getTime() === expiresAt.getTime();
          status = 'expired';
        }
        next = nextPaymentQueryAt({ status, asked, expiresAt }, now, responses[asked - 1] ?? true);
        if (next) expect(next.getTime()).toBeGreaterThan(now.getTime());
      }
      expect(next).toBeNull();
      expect(askedAtExpiry).toBe(true);
      expect(asked).toBeLessThan(9 + 24 + 7 * 24 + 2);
    }),
    { numRuns: 50 },
  );
});

// WAL-13
test.each<[string, number | null, number | null, number | null]>([
  ['never asked: now', null, 60, 10],
  ['asked long ago: now', 1, 60, 10],
  ['asked a moment ago: when the pause is over', 8, 60, 13],
  ['a question is planned for the end of the pause: that one', 8, 13, null],
  ['a question is planned for sooner: that one', 8, 12, null],
  ['a question is due: that one', 1, 9, null],
  ['the bank is being asked: once more, since it may have missed it', 8, 7, 13],
  ['nothing is planned any more: never', 1, null, null],
])('a hint at second 10, %s', (_, lastAsked, nextAsk, expected) => {
  const second = (value: number | null) => (value === null ? null : at(value * 1000));
  expect(hintedQueryAt({ lastAskedAt: second(lastAsked), nextAskAt: second(nextAsk) }, at(10_000))).toEqual(second(expected));
});

test('a query is answered by a response at or after its start', () => {
  expect(isAnswered({ lastAskedAt: null, lastAnsweredAt: null })).toBe(true);
  expect(isAnswered({ lastAskedAt: at(1), lastAnsweredAt: null })).toBe(false);
  expect(isAnswered({ lastAskedAt: at(2), lastAnsweredAt: at(1) })).toBe(false);
  expect(isAnswered({ lastAskedAt: at(2), lastAnsweredAt: at(2) })).toBe(true);
});
