import { phonePattern } from '../../text.ts';
import { isDay } from '../../time/date-time.ts';
import type { SheetCell } from './sheet-content.ts';

/** Returns the name of a column as programs show it: `A` for 0, `AA` for 26. */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index; rest >= 0; rest = Math.floor(rest / 26) - 1) name = String.fromCharCode(65 + (rest % 26)) + name;
  return name;
}

/**
 * Returns the address of a cell as programs show it, such as `C5`.
 * @param column from 0
 * @param row from 1
 */
export function cellAddress(column: number, row: number): string {
  return `${columnName(column)}${row}`;
}

/** Some programs write a day of a CSV with its midnight. */
const [dayFirst, yearFirst] = [
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?: 0?0:00(?::00)?)?$/,
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]0?0:00(?::00)?)?$/,
] as const;

/**
 * Returns the day of a cell as `YYYY-MM-DD`: a date of the program without its time of day, or a text such as `31.12.2026`, `31/12/2026`,
 * `31-12-2026` or `2026-12-31`. Null for an impossible day, a year of two digits or
 * before 1900, and all else.
 */
export function readDay(cell: SheetCell): string | null {
  if (cell.kind !== 'text' && cell.kind !== 'day') return null;
  const written = cell.kind === 'day' ? cell.text.slice(0, 10) : cell.text;
  const [, d = '', , m = '', y = ''] = dayFirst.exec(written) ?? [];
  const [, year = y, month = m, day = d] = yearFirst.exec(written) ?? [];
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(text) ? text : null;
}

/** A space, or one that does not break a line, as wide or narrow: programs put them between thousands. */
const thousands = /^[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+$/;

/** Returns the whole number of a cell, with or without blanks between thousands; null for fractions, all else, and beyond 2^53. */
export function readInteger(cell: SheetCell): number | null {
  if (cell.kind !== 'text' && cell.kind !== 'number') return null;
  const isWritten = cell.kind === 'number' || /^[+-]?\d+$/.test(cell.text) || thousands.test(cell.text);
  const value = isWritten ? Number(cell.text.replaceAll(/[ \u00a0\u2009\u202f]/g, '')) : Number.NaN;
  // Not -0.
  return Number.isSafeInteger(value) ? value + 0 : null;
}

/** Characters without width, and dashes of all kinds, as programs and messengers copy them. */
const [unseen, dashes] = [/[\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g, /[\u2010-\u2015\u2212]/g];

/**
 * Returns a telephone number in the form of E.164 (`+77011234567`); null when it is none.
 *
 * Reads what a profile accepts (`phonePattern`). A number without a plus is of Kazakhstan or Russia when it has the 8 or 7 of these
 * countries before ten digits, or only ten digits that begin as theirs do; otherwise it lost its plus.
 */
export function readPhone(cell: SheetCell): string | null {
  if (cell.kind !== 'text' && cell.kind !== 'number') return null;
  const written = cell.text.replaceAll(unseen, '').replaceAll(/\s/g, ' ').replaceAll(dashes, '-').trim();
  if (!phonePattern.test(written)) return null;
  const digits = internationalDigits(written.replaceAll(/\D/g, ''), written.startsWith('+'));
  if (!/^[1-9]\d{6,14}$/.test(digits) || (digits.startsWith('7') && digits.length !== 11)) return null;
  return `+${digits}`;
}

function internationalDigits(digits: string, hasPlus: boolean): string {
  // `+8 701 …` mixes both forms; no country has a number that begins so with 11 digits.
  if (/^8[79]\d{9}$/.test(digits)) return `7${digits.slice(1)}`;
  if (hasPlus) return digits;
  if (/^8[34789]\d{9}$/.test(digits)) return `7${digits.slice(1)}`;
  if (/^[79]\d{9}$/.test(digits)) return `7${digits}`;
  // What a telephone of these countries (8 10) or of others (00) dials before the country.
  return digits.replace(/^(?:810|00)/, '');
}
