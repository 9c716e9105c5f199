/** The registry's days are days in UTC+5, all year round (API-4). The offset never changes, so no calendar library is needed. */
export const registryOffset = '+05:00';
const offsetMs = 5 * 3_600_000;
/** A minute in milliseconds. */
export const minuteMs = 60_000;
/** A day in milliseconds; all days have the same length. */
export const dayMs = 86_400_000;
/** The days that a request may name (API-4). The database cannot store the year 0. */
const [firstDay, lastDay] = ['1900-01-01', '2199-12-31'];
/** The last instant that RFC 3339 can express. Records with a day of the year 9999 end after it. */
const latestWritten = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The registry's wall clock of an instant, `YYYY-MM-DDTHH:MM:SS`. */
function wallClockOf(instant: Date): string {
  return new Date(Math.min(instant.getTime() + offsetMs, latestWritten)).toISOString().slice(0, 19);
}

/** The registry's day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Date): string {
  return wallClockOf(instant).slice(0, 10);
}

/** The registry's calendar year of an instant. */
export function yearOf(instant: Date): number {
  return Number(wallClockOf(instant).slice(0, 4));
}

/** The first instant of a registry's day. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00${registryOffset}`);
}

/** The first instant after a day: a document that expires on this day is then invalid. */
export function endOfDay(day: string): Date {
  return new Date(startOfDay(day).getTime() + dayMs);
}

/** The day after a day. */
export function dayAfter(day: string): string {
  return dayOf(endOfDay(day));
}

/** The instant a calendar year ends in the registry. */
export function endOfYear(year: number): Date {
  return startOfDay(firstDayOfYear(year + 1));
}

/** `YYYY-01-01`. */
export function firstDayOfYear(year: number): string {
  return `${year}-01-01`;
}

/** `YYYY-12-31`. */
export function lastDayOfYear(year: number): string {
  return `${year}-12-31`;
}

/** Whole years between a birth day and a day. */
export function ageOn(birthDay: string, day: string): number {
  const [birthYear = 0, birthMonth = 0, birthDate = 0] = birthDay.split('-').map(Number);
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const hadBirthday = month > birthMonth || (month === birthMonth && date >= birthDate);
  return year - birthYear - (hadBirthday ? 0 : 1);
}

/** RFC 3339 with the registry's offset, whole seconds. */
export function formatDateTime(instant: Date): string;
export function formatDateTime(instant: Date | null): string | null;
export function formatDateTime(instant: Date | null): string | null {
  return instant && wallClockOf(instant) + registryOffset;
}

/** The same with milliseconds, for every `updated_at`, the version of a record. */
export function formatVersion(instant: Date): string {
  return new Date(instant.getTime() + offsetMs).toISOString().slice(0, 23) + registryOffset;
}

/** Formats `2026-03-01` as `01.03.2026`, for documents. */
export function formatDay(day: string): string {
  return day.split('-').toReversed().join('.');
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})?)?$/;

/**
 * Parses an RFC 3339 date-time from 1900 to 2199; without an offset it is in UTC+5 (API-4).
 * @param ofBareDay meaning of a day alone: its first instant, or its last whole second, which responses can express
 * @returns null when the text is no such date-time
 */
export function parseDateTime(text: string, ofBareDay: 'first' | 'last' = 'first'): Date | null {
  const [, day, time = ofBareDay === 'first' ? '00:00' : '23:59:59', zone = registryOffset] = rfc3339.exec(text) ?? [];
  if (day === undefined || !isOfCalendar(day)) return null;
  const instant = new Date(`${day}T${time}${zone.toUpperCase()}`);
  return instant >= startOfDay(firstDay) && instant < endOfDay(lastDay) ? instant : null;
}

/** Whether a text is a real day of the calendar, `YYYY-MM-DD`, from 1900 to 2199. */
export function isDay(text: string): boolean {
  return isDayOrLater(text) && text <= lastDay;
}

/** The same without the last day, for days that another rule limits to the past. */
export function isDayOrLater(text: string): boolean {
  return isOfCalendar(text) && text >= firstDay;
}

function isOfCalendar(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
