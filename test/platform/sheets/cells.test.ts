import fc from 'fast-check';
import { cellAddress, columnName, readDay, readInteger, readPhone } from '../../../src/platform/spreadsheet/reading/cells.ts';
import { decimalOf } from '../../../src/platform/spreadsheet/reading/serial-number.ts';
import type { CellKind } from '../../../src/platform/spreadsheet/reading/sheet-content.ts';
import { phonePattern } from '../../../src/platform/text.ts';

const text = (value: string) => ({ kind: 'text' as const, text: value });
const number = (value: string) => ({ kind: 'number' as const, text: value });

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [51, 'AZ'],
  [52, 'BA'],
  [99, 'CV'],
  [701, 'ZZ'],
  [702, 'AAA'],
  [16_383, 'XFD'],
])('column %d is %s', (index, name) => {
  expect(columnName(index)).toBe(name);
});

test('columns have names of their own, in the order of length and letters', () => {
  const names = Array.from({ length: 16_384 }, (_, index) => columnName(index));
  expect(new Set(names).size).toBe(names.length);
  expect(names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))).toEqual(names);
  expect(cellAddress(2, 5)).toBe('C5');
});

test.each<[CellKind, string, string | null]>([
  ['day', '2026-12-31', '2026-12-31'],
  ['day', '2026-12-31T09:30', '2026-12-31'],
  ['day', '9999-12-31', null],
  ['text', '31.12.2026', '2026-12-31'],
  ['text', '31/12/2026', '2026-12-31'],
  ['text', '31-12-2026', '2026-12-31'],
  ['text', '2026-12-31', '2026-12-31'],
  ['text', '2026-1-2', '2026-01-02'],
  ['text', '1.2.2026', '2026-02-01'],
  ['text', '31.12.2026 0:00:00', '2026-12-31'],
  ['text', '2026-12-31T00:00:00', '2026-12-31'],
  ['text', '29.02.2024', '2024-02-29'],
  ['text', '29.02.2026', null],
  ['text', '12/31/2026', null],
  ['text', '31.04.2026', null],
  ['text', '00.01.2026', null],
  ['text', '31.12.26', null],
  ['text', '31.12/2026', null],
  ['text', '31.12.2026 09:30', null],
  ['text', '31 декабря 2026', null],
  ['text', '2026.12.31', null],
  ['text', '1.1.1890', null],
  ['text', '', null],
  ['number', '46022', null],
  ['time', '0:00:00', null],
])('the day of the %s %s is %s', (kind, value, day) => {
  expect(readDay({ kind, text: value })).toBe(day);
});

test('every day reads back from every form', () => {
  const days = fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(days, fc.constantFrom('.', '/', '-'), fc.boolean(), (date, separator, isPadded) => {
      const day = date.toISOString().slice(0, 10);
      const [y = '', m = '', d = ''] = day.split('-');
      const short = (part: string) => (isPadded ? part : String(Number(part)));
      expect(readDay(text([short(d), short(m), y].join(separator)))).toBe(day);
      expect(readDay(text([y, short(m), short(d)].join('-')))).toBe(day);
    }),
  );
});

test.each<[CellKind, string, number | null]>([
  ['number', '12', 12],
  ['number', '12.0', 12],
  ['number', '-3', -3],
  ['number', '12.5', null],
  ['number', '123456789012346000000', null],
  ['text', '12', 12],
  ['text', '+12', 12],
  ['text', '-0', 0],
  ['text', '007', 7],
  ['text', '1 234 567', 1_234_567],
  ['text', '1\u00a0234', 1234],
  ['text', '12\u202f345', 12_345],
  ['text', '1 2', null],
  ['text', '1234 567', null],
  ['text', '12.0', null],
  ['text', '12,5', null],
  ['text', '1e3', null],
  ['text', '0x10', null],
  ['text', 'двенадцать', null],
  ['text', '', null],
  ['day', '2026-12-31', null],
  ['boolean', 'true', null],
])('the whole number of the %s %s is %s', (kind, value, result) => {
  expect(readInteger({ kind, text: value })).toBe(result);
});

test('every whole number reads back, with and without blanks between thousands', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.constantFrom(' ', '\u00a0', '\u202f', '\u2009', ''), (value, blank) => {
      const written = value.toLocaleString('en-US').replaceAll(',', blank);
      expect(readInteger(text(written))).toBe(value + 0);
      expect(readInteger(number(String(value)))).toBe(value + 0);
    }),
  );
});

test.each<[CellKind, string, string | null]>([
  ['number', '77010000001', '+77010000001'],
  ['number', '87010000001', '+77010000001'],
  ['number', '7010000001', '+77010000001'],
  ['number', '998901234567', '+998901234567'],
  ['number', '77010000001.5', null],
  ['number', '-77010000001', null],
  ['text', '+7 701 000 00 01', '+77010000001'],
  ['text', '+7 (701) 000-00-01', '+77010000001'],
  ['text', '8 701 000 00 01', '+77010000001'],
  ['text', '8(701)0000001', '+77010000001'],
  ['text', '+8 701 000 00 01', '+77010000001'],
  ['text', '(701) 000 00 01', '+77010000001'],
  ['text', '8 (495) 123-45-67', '+74951234567'],
  ['text', '+7\u00a0701\u202f000\u201300\u201101', '+77010000001'],
  ['text', '+49 30 123456', '+4930123456'],
  ['text', '00 49 30 123456', '+4930123456'],
  ['text', '8 10 49 30 123456', '+4930123456'],
  ['text', '+86 138 0013 8000', '+8613800138000'],
  ['text', '8613800138000', '+8613800138000'],
  ['text', '+7 701 000 00', null],
  ['text', '+7 701 000 00 01 2', null],
  ['text', '8 701 000 00 01, 8 702 000 00 02', null],
  ['text', '8 701 000 00 01 доб. 5', null],
  ['text', '8.701.000.00.01', null],
  ['text', '7,701E+10', null],
  ['text', '+1234567890123456', null],
  ['text', '112', null],
  ['text', 'нет', null],
  ['text', '', null],
  ['day', '2026-12-31', null],
])('the telephone number of the %s %s is %s', (kind, value, phone) => {
  expect(readPhone({ kind, text: value })).toBe(phone);
});

test('a profile accepts every telephone number that is read, and it reads back as itself', () => {
  const pieces = fc.array(fc.constantFrom(...'0123456789', ' ', '(', ')', '-', '+', '8', '7'), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, (parts) => {
      const phone = readPhone(text(parts.join('')));
      if (phone === null) return;
      expect(phone).toMatch(phonePattern);
      expect(phone).toMatch(/^\+[1-9]\d{6,14}$/);
      expect(readPhone(text(phone))).toBe(phone);
    }),
    { numRuns: 2000 },
  );
});

test('a decimal has the 15 digits that programs show, and no exponent', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const decimal = decimalOf(value);
      expect(decimal).toMatch(/^-?\d+(?:\.\d*[1-9])?$/);
      const rounded = Number(value.toPrecision(15));
      expect(Number(decimal)).toBe(Number.isFinite(rounded) ? rounded + 0 : value);
    }),
  );
  expect([1e21, 1.5e22, 1e-7, -1.25e-9, -0, 77_010_000_001, 0.1 + 0.2].map(decimalOf)).toEqual([
    '1000000000000000000000',
    '15000000000000000000000',
    '0.0000001',
    '-0.00000000125',
    '0',
    '77010000001',
    '0.3',
  ]);
});
