import fc from 'fast-check';
import {
  daysUntil,
  isReminderDue,
  type Reminded,
  reminderAfter,
  reminderAhead,
  reminderDays,
} from '../../../src/areas/documents/expiry-reminders.ts';
import { dayMs, dayOf, endOfDay, startOfDay } from '../../../src/platform/time/date-time.ts';

const lastDay = '2026-12-31';
/** The first instant of the day that is so many days before the last one, plus some milliseconds. */
const ahead = (days: number, ms = 0) => new Date(startOfDay(lastDay).getTime() - days * dayMs + ms);

const anyInstant = fc.date({ min: new Date('2025-01-01T00:00:00Z'), max: new Date('2028-01-01T00:00:00Z'), noInvalidDate: true });
const anyDay = anyInstant.map(dayOf);

/** Runs the checks at these instants for a last day set at an instant. Returns the reminders as days left. */
function tell(settledAt: Date, looks: readonly Date[], day = lastDay): { notified: number[]; next: Date | null } {
  let reminded: Reminded = { lastDay: day, remindAt: reminderAfter(day, settledAt) };
  const notified: number[] = [];
  for (const now of looks) {
    if (!isReminderDue(reminded, now)) continue;
    notified.push(daysUntil(day, now));
    reminded = { lastDay: day, remindAt: reminderAfter(day, now) };
  }
  return { notified, next: reminded.remindAt };
}

// DOC-5
describe('reminders of a last day', () => {
  test.each([
    ['long before', ahead(200), [60, 30, 7]],
    ['a millisecond before the first', ahead(60, -1), [60, 30, 7]],
    ['in the first instant of the first day', ahead(60), [30, 7]],
    ['on the first day', ahead(60, dayMs / 2), [30, 7]],
    ['20 days before', ahead(20), [7]],
    ['6 days before', ahead(6), []],
    ['on the last day', ahead(0), []],
  ])('set %s: each later threshold is sent once', (_when, settledAt, expected) => {
    const looks = Array.from({ length: 24 * 300 }, (_, hours) => ahead(250, hours * 3_600_000)).filter((at) => at >= settledAt);
    expect(tell(settledAt, looks).notified).toEqual(expected);
  });

  test.each([
    ['two', ahead(29), [29], ahead(7)],
    ['all', ahead(3, 5), [3], null],
    ['all, on the last day', ahead(0, dayMs - 1), [0], null],
    ['all, when it is over', ahead(-1), [], ahead(60)],
  ])('missed: %s; one reminder is sent, with the days left', (_which, now, notified, next) => {
    expect(tell(ahead(200), [now, now])).toEqual({ notified, next });
  });

  test('each threshold is sent at most once, on a day that it covers, and the last one is not late', () => {
    fc.assert(
      fc.property(anyDay, anyInstant, fc.array(anyInstant, { maxLength: 30 }), (day, settledAt, instants) => {
        const looks = instants.filter((at) => at >= settledAt).toSorted((left, right) => left.getTime() - right.getTime());
        const { notified, next } = tell(settledAt, looks, day);
        // The narrowest threshold that has passed.
        const thresholds = notified.map((left) => reminderDays.findLast((days) => left <= days));
        expect(new Set(thresholds).size).toBe(thresholds.length);
        expect(thresholds).not.toContain(undefined);
        expect(notified.every((left) => left >= 0)).toBe(true);
        expect(notified).toEqual(notified.toSorted((left, right) => right - left));
        const missed = reminderDays.filter((days) => {
          const at = new Date(startOfDay(day).getTime() - days * dayMs);
          return (
            at > settledAt && looks.some((look) => look >= at && look < endOfDay(day)) && !thresholds.some((one) => (one ?? 99) <= days)
          );
        });
        expect(missed).toEqual([]);
        const last = looks.findLast((look) => look < endOfDay(day));
        if (next !== null && last !== undefined) expect(next > last).toBe(true);
      }),
    );
  });

  test('the next reminder is the earliest one ahead, at the first instant of its day in UTC+5', () => {
    fc.assert(
      fc.property(anyDay, anyInstant, (day, instant) => {
        const next = reminderAfter(day, instant);
        const left = daysUntil(day, instant);
        const days = reminderDays.find((one) => one < left) ?? null;
        expect(next === null ? null : daysUntil(day, next)).toBe(days);
        if (next !== null) expect(next).toEqual(startOfDay(dayOf(next)));
        expect(reminderAhead({ lastDay: day, remindAt: next }, instant)).toEqual(next);
      }),
    );
  });

  test.each([
    ['2026-12-01T00:00:00+05:00', 30],
    ['2026-12-01T23:59:59+05:00', 30],
    ['2026-11-30T19:00:00Z', 30],
    ['2026-11-30T18:59:59Z', 31],
    ['2026-12-31T23:59:59+05:00', 0],
    ['2027-01-01T00:00:00+05:00', -1],
  ])('at %s the days left are %i', (now, days) => {
    expect(daysUntil(lastDay, new Date(now))).toBe(days);
  });
});
