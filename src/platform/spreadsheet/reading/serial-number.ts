import type { NumberUse } from './number-format.ts';
import type { SheetCell } from './sheet-content.ts';

const daySeconds = 86_400;
/** Programs show 15 digits of a number, and calculate with more. */
const shownDigits = 15;
/** 31 December 9999. */
const lastSerial = 2_958_465;
/** Between both counts of days. */
const daysUntil1904 = 1462;

const two = (count: number) => String(count).padStart(2, '0');

/** Returns a number as the shortest decimal of its 15 first digits, without an exponent. */
export function decimalOf(value: number): string {
  const rounded = Number(value.toPrecision(shownDigits));
  // The largest numbers have no greater one to become.
  const shown = Number.isFinite(rounded) ? rounded : value;
  const text = String(Math.abs(shown));
  const [mantissa = '', exponent] = text.split('e');
  const sign = shown < 0 ? '-' : '';
  if (exponent === undefined) return `${sign}${text}`;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = Number(exponent);
  return power > 0 ? `${sign}${whole}${fraction.padEnd(power, '0')}` : `${sign}0.${'0'.repeat(-power - 1)}${whole}${fraction}`;
}

/**
 * Returns what a program shows for a number with a format. A number that the format cannot show as a day or time (negative, or a day that
 * does not exist, such as 29 February 1900) stays a number.
 * @param since1904 whether days count from 1904, as in workbooks of old Macintosh programs
 */
export function cellOfNumber(value: number, use: NumberUse, since1904: boolean): SheetCell {
  const shown =
    value < 0 || value >= lastSerial - (since1904 ? daysUntil1904 : 0) + 1
      ? null
      : use === 'day' || use === 'day_time'
        ? dayOf(value, use === 'day_time', since1904)
        : use === 'number'
          ? null
          : timeOf(use === 'time' ? value % 1 : value, use === 'time');
  return shown ?? { kind: 'number', text: decimalOf(value) };
}

function dayOf(serial: number, showsTime: boolean, since1904: boolean): SheetCell | null {
  // A minute is seldom a whole number of the file's fractions of a day.
  const seconds = Math.round(serial * daySeconds);
  const days = Math.floor(seconds / daySeconds);
  // 1900 has a day 60, 29 February, that never was.
  if (!since1904 && (days === 0 || days === 60)) return null;
  const epoch = since1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const day = new Date(epoch + days * daySeconds * 1000).toISOString().slice(0, 10);
  const minutes = Math.floor((seconds % daySeconds) / 60);
  const time = showsTime && minutes > 0 ? `T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}` : '';
  return { kind: 'day', text: `${day}${time}` };
}

function timeOf(days: number, isOfDay: boolean): SheetCell {
  const rounded = Math.round(days * daySeconds * 1000);
  const total = isOfDay ? rounded % (daySeconds * 1000) : rounded;
  const [seconds, milliseconds] = [Math.floor(total / 1000), total % 1000];
  const time = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return { kind: 'time', text: milliseconds === 0 ? time : `${time}.${String(milliseconds).padStart(3, '0')}` };
}
