import fc from 'fast-check';
import { firstQuestionAt, nextQuestionAt } from '../../src/wallet/ask-schedule.ts';
import type { InvoiceStatus } from '../../src/wallet/states.ts';

const start = Date.parse('2026-03-01T00:00:00Z');
const hours = (count: number) => count * 3_600_000;
const expiresAt = new Date(start + hours(24));
const end = new Date(start + hours(24 * 8));
const at = (ms: number) => new Date(start + ms);

test('the first question comes five seconds after the form, and never after the time is up', () => {
  expect(firstQuestionAt(expiresAt, at(0))).toEqual(at(5000));
  expect(firstQuestionAt(expiresAt, at(hours(24) - 1000))).toEqual(expiresAt);
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
])('after question %i the next comes in %i seconds', (asked, seconds) => {
  expect(nextQuestionAt({ status: 'pending', asked, expiresAt }, at(0), true)).toEqual(at(seconds * 1000));
});

test.each<[string, InvoiceStatus, number, boolean, Date | null]>([
  ['an open invoice is asked about at the very end of its time', 'pending', hours(23.5), true, expiresAt],
  ['expired: the next day', 'expired', hours(24), true, at(hours(48))],
  ['failed: the next day', 'failed', hours(1), true, at(hours(25))],
  ['expired, the bank was away: in an hour', 'expired', hours(24), false, at(hours(25))],
  ['expired: the last day ends the questions with one more', 'expired', hours(24 * 7 + 1), true, end],
  ['expired: never after eight days', 'expired', hours(24 * 8), true, null],
  ['nor when the bank was away then', 'failed', hours(24 * 9), false, null],
  ['paid: never', 'paid', hours(1), true, null],
  ['mismatch: never', 'mismatch', hours(1), true, null],
])('%s', (_, status, now, isAnswered, expected) => {
  expect(nextQuestionAt({ status, asked: 30, expiresAt }, at(now), isAnswered)).toEqual(expected);
});

test('whatever the bank does, questions move on, stop by themselves and stay few', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 400, maxLength: 400 }), (answers) => {
      let status: InvoiceStatus = 'pending';
      let next: Date | null = firstQuestionAt(expiresAt, at(0));
      let asked = 0;
      let askedAtExpiry = false;
      while (next !== null && asked < answers.length) {
        const now: Date = next;
        asked += 1;
        if (now >= expiresAt) {
          askedAtExpiry ||= now.getTime() === expiresAt.getTime();
          status = 'expired';
        }
        next = nextQuestionAt({ status, asked, expiresAt }, now, answers[asked - 1] ?? true);
        if (next) expect(next.getTime()).toBeGreaterThan(now.getTime());
      }
      expect(next).toBeNull();
      expect(askedAtExpiry).toBe(true);
      expect(asked).toBeLessThan(9 + 24 + 7 * 24 + 2);
    }),
    { numRuns: 50 },
  );
});
