import { DateTime } from 'luxon';

/** The registry's days are days in Kazakhstan, UTC+5 all year round (service.md "Conventions"). */
export const registryZone = 'UTC+5';
const offset = '+05:00';

/** The registry's day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Date): string {
  return DateTime.fromJSDate(instant, { zone: registryZone }).toISODate() ?? invalid(instant);
}

/** The registry's calendar year of an instant. */
export function yearOf(instant: Date): number {
  return DateTime.fromJSDate(instant, { zone: registryZone }).year;
}

/** The first instant of a registry's day. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00${offset}`);
}

/** The first instant after a registry's day: when a document that "expires at" this day has lapsed. */
export function endOfDay(day: string): Date {
  return DateTime.fromISO(day, { zone: registryZone }).plus({ days: 1 }).toJSDate();
}

/** The instant a calendar year ends in the registry. */
export function endOfYear(year: number): Date {
  return startOfDay(`${year + 1}-01-01`);
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

/** RFC 3339 with the registry's offset, whole seconds (decisions.md §1). */
export function formatDateTime(instant: Date): string {
  return DateTime.fromJSDate(instant, { zone: registryZone }).toFormat("yyyy-MM-dd'T'HH:mm:ss") + offset;
}

/** Reads a date-time; one without an offset means UTC+5 (decisions.md §1). Null when it is none. */
export function parseDateTime(text: string): Date | null {
  const parsed = DateTime.fromISO(text, { zone: registryZone, setZone: false });
  return parsed.isValid ? parsed.toJSDate() : null;
}

/** Whether a text is a real day of the calendar, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && DateTime.fromISO(text, { zone: registryZone }).isValid;
}

function invalid(instant: Date): never {
  throw new RangeError(`not an instant: ${String(instant)}`);
}
