import fc from 'fast-check';
import {
  ageOn,
  dayOf,
  endOfDay,
  endOfYear,
  formatDateTime,
  formatVersion,
  isDay,
  parseDateTime,
  startOfDay,
  yearOf,
} from '../../src/platform/time/date-time.ts';

const instants = fc.date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2150-01-01T00:00:00Z'), noInvalidDate: true });
const oracle = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Etc/GMT-5', dateStyle: 'short', timeStyle: 'medium' });

describe("the registry's days", () => {
  test('are those of UTC+5, like in the calendar of the platform', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const [day = '', time = ''] = oracle.format(instant).split(' ');
        expect(formatDateTime(instant)).toBe(`${day}T${time}+05:00`);
        expect(dayOf(instant)).toBe(day);
        expect(yearOf(instant)).toBe(Number(day.slice(0, 4)));
      }),
    );
  });

  test('contain the instants from their start until just before their end', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const day = dayOf(instant);
        expect(startOfDay(day) <= instant && instant < endOfDay(day)).toBe(true);
        expect(instant < endOfYear(yearOf(instant))).toBe(true);
      }),
    );
  });

  test.each([
    ['2026-12-31T18:59:59Z', '2026-12-31'],
    ['2026-12-31T19:00:00Z', '2027-01-01'],
  ])('%s is on %s', (instant, day) => {
    expect(dayOf(new Date(instant))).toBe(day);
  });
});

test('a written instant is read back', () => {
  fc.assert(
    fc.property(instants, (instant) => {
      expect(parseDateTime(formatDateTime(instant))?.getTime()).toBe(Math.floor(instant.getTime() / 1000) * 1000);
    }),
  );
});

test.each([
  ['2026-03-01T09:00:00+05:00', '2026-03-01T04:00:00.000Z'],
  ['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.000Z'],
  ['2026-03-01T09:00', '2026-03-01T04:00:00.000Z'],
  ['2026-03-01 09:00:00.5', '2026-03-01T04:00:00.500Z'],
  ['2026-03-01', '2026-02-28T19:00:00.000Z'],
])('%s is read as %s', (text, instant) => {
  expect(parseDateTime(text)?.toISOString()).toBe(instant);
});

test.each([
  '',
  'tomorrow',
  '2026-02-30',
  '2026-02-30T10:00:00Z',
  '2026-W10',
  '2026-13-01T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T10:00:00+99:99',
  '10:00',
  '0000-01-01',
  '0000-06-01T10:00:00Z',
  '1899-12-31T23:59:59+05:00',
  '2200-01-01',
  '2199-12-31T20:00:00Z',
  '9999-12-31T23:59:59Z',
])('%p is no date-time', (text) => {
  expect(parseDateTime(text)).toBeNull();
});

test.each([
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-00-10', false],
  ['26-01-01', false],
  ['0000-01-01', false],
  ['1899-12-31', false],
  ['1900-01-01', true],
  ['2199-12-31', true],
  ['2200-01-01', false],
])('isDay(%p) is %p', (text, isOne) => {
  expect(isDay(text)).toBe(isOne);
});

test('API-4: a day without a time is its first instant or its last second, both on that day', () => {
  fc.assert(
    fc.property(instants.map(dayOf), (day) => {
      expect(parseDateTime(day)).toEqual(startOfDay(day));
      const last = parseDateTime(day, 'last') ?? new Date(0);
      expect([formatDateTime(last), dayOf(last)]).toEqual([`${day}T23:59:59+05:00`, day]);
      expect(parseDateTime(formatDateTime(last), 'last')).toEqual(last);
    }),
  );
  expect(parseDateTime('2026-03-01T10:00', 'last')).toEqual(parseDateTime('2026-03-01T10:00'));
});

test('the end of a day in old records is written as valid RFC 3339', () => {
  expect(formatDateTime(endOfDay('9999-12-31'))).toBe('9999-12-31T23:59:59+05:00');
});

test('a version is read back as its instant, to the millisecond', () => {
  fc.assert(fc.property(instants, (instant) => parseDateTime(formatVersion(instant))?.getTime() === instant.getTime()));
  expect(formatVersion(new Date('2026-03-01T04:00:00.007Z'))).toBe('2026-03-01T09:00:00.007+05:00');
});

test('eighteen years are complete on the birthday, not before', () => {
  expect([
    ageOn('2008-05-17', '2026-05-16'),
    ageOn('2008-05-17', '2026-05-17'),
    ageOn('2008-02-29', '2026-02-28'),
    ageOn('2008-02-29', '2026-03-01'),
  ]).toEqual([17, 18, 17, 18]);
});
