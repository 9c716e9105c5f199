import { dayMs, dayOf, endOfDay, endOfYear, formatDateTime, lastDayOfYear, startOfDay, yearOf } from '../../platform/time/date-time.ts';
import type { DocumentDays } from './papers.ts';

/** Days of a walk, derived from the registry's current instant. */
interface WalkDays extends DocumentDays {
  /** Instant to which the clock must move first; null for none. */
  startAt: Date | null;
}

export interface DemoCalendar extends WalkDays {
  /** The last day on which the first medical certificate is valid. */
  medicalUntil: string;
  /** The instant at which it has expired. */
  expiresAt: Date;
}

/** Days of the office demo. */
export interface OfficeCalendar extends WalkDays {
  /** After an invoice has expired. */
  afterAt: Date;
}

/** Days of the competition demo: it starts in a week and lasts two days, within one year, so that one certificate covers it. */
export interface CompetitionCalendar extends WalkDays {
  startsAt: Date;
  endsAt: Date;
  /** When the organizer enters its results. */
  afterAt: Date;
}

/** Days of the desk's demo. */
export interface DeskCalendar extends DocumentDays {
  /** Instants to which the clock moves, and at which people arrive. The last one is the present of the filled desk. */
  arrivals: Date[];
}

/** Days of the messages demo, which ends two months before the end of the year. */
export interface MessagesCalendar extends WalkDays {
  /** When all owners of this year's certificates have been reminded of its end. */
  remindedAt: Date;
}

/** Upper limit of a demo's duration, so that no midnight falls into it. */
const walkMs = 10 * 60_000;
const morningMs = 9 * 3_600_000;

function newYearMorning(now: Date): Date {
  return new Date(endOfYear(yearOf(now)).getTime() + morningMs);
}

function documentDays(begin: Date): DocumentDays {
  const year = yearOf(begin);
  return { identityIssued: `${year - 3}-02-01`, identityUntil: `${year + 7}-01-31`, nextMedicalUntil: lastDayOfYear(year + 1) };
}

/**
 * Plans the expiry of a medical certificate that is valid through today. On the last day of a year the demo starts in the new year, because
 * the expiry would coincide with the end of the year.
 */
export function planCalendar(now: Date): DemoCalendar {
  const soon = new Date(now.getTime() + walkMs);
  const isYearEnding = [now, soon].some((instant) => dayOf(instant) === lastDayOfYear(yearOf(instant)));
  const startAt = isYearEnding ? newYearMorning(now) : null;
  const begin = startAt ?? soon;
  const medicalUntil = dayOf(begin);
  return {
    startAt,
    medicalUntil,
    expiresAt: endOfDay(medicalUntil),
    ...documentDays(begin),
  };
}

/** Describes how far the sandbox is ahead of real time; null for less than a minute. */
export function describeOffset(now: Date, offsetSeconds: number): string | null {
  if (offsetSeconds < 60) return null;
  const days = Math.round(offsetSeconds / 86_400);
  const ahead = days === 0 ? `${Math.round(offsetSeconds / 60)} minutes` : days === 1 ? 'a day' : `${days} days`;
  return `The registry's clock shows ${formatDateTime(now)}, ${ahead} ahead of real time: earlier demos or requests moved it, and it moves only forwards.`;
}

/** Plans a competition in a week, at ten in the morning; at the end of a year, in the new year. */
export function planCompetition(now: Date): CompetitionCalendar {
  const isInOneYear = (begin: Date) => yearOf(new Date(begin.getTime() + 10 * dayMs)) === yearOf(begin);
  const startAt = isInOneYear(now) ? null : newYearMorning(now);
  const begin = startAt ?? now;
  const days = eventDays(begin, 7);
  return { startAt, ...days, afterAt: new Date(days.endsAt.getTime() + 3_600_000), ...documentDays(begin) };
}

/** Days of an event of two days that starts at ten in the morning. */
export function eventDays(now: Date, startsInDays: number): Pick<CompetitionCalendar, 'startsAt' | 'endsAt'> {
  const startsAt = new Date(startOfDay(dayOf(new Date(now.getTime() + startsInDays * dayMs))).getTime() + 10 * 3_600_000);
  return { startsAt, endsAt: new Date(startsAt.getTime() + dayMs + 8 * 3_600_000) };
}

/** Plans a week of the office; at the end of a year, in the new year. */
export function planOffice(now: Date): OfficeCalendar {
  const { startAt } = planCompetition(now);
  const begin = startAt ?? now;
  return { startAt, ...documentDays(begin), afterAt: new Date(begin.getTime() + 5 * dayMs) };
}

/** Plans a demo that ends sixty days before a certificate ends; after that day, in the new year. */
export function planMessages(now: Date): MessagesCalendar {
  const remindedIn = (year: number) => new Date(startOfDay(lastDayOfYear(year)).getTime() - 60 * dayMs + morningMs);
  const startAt = now.getTime() + walkMs < remindedIn(yearOf(now)).getTime() - dayMs ? null : newYearMorning(now);
  const begin = startAt ?? now;
  return {
    startAt,
    remindedAt: remindedIn(yearOf(begin)),
    ...documentDays(begin),
  };
}

/** Days between the first arrivals and the later ones: records wait since weeks, days, hours and minutes. */
const arrivalDays = [0, 8, 17, 20, 20.25] as const;

/** Plans three weeks of a federation from tomorrow on, and a week for its next competitions; at the end of a year, in the new year. */
export function planDesk(now: Date): DeskCalendar {
  const tomorrow = startOfDay(dayOf(new Date(now.getTime() + dayMs))).getTime() + morningMs;
  const isInOneYear = yearOf(now) === yearOf(new Date(tomorrow + 30 * dayMs));
  const begin = isInOneYear ? tomorrow : newYearMorning(now).getTime();
  return { arrivals: arrivalDays.map((day) => new Date(begin + day * dayMs)), ...documentDays(new Date(begin)) };
}
