import { dayMs, dayOf, endOfDay, endOfYear, formatDateTime, lastDayOfYear, startOfDay, yearOf } from '../../platform/date-time.ts';

/** Days of the story, `YYYY-MM-DD` in UTC+5, chosen by the present instant of the registry. */
export interface DemoCalendar {
  /** Where the clock has to be before the story begins; null when it stands well. */
  startAt: Date | null;
  /** The last day on which the first medical certificate is valid. */
  medicalUntil: string;
  /** The instant at which it has expired: the second after that day. */
  expiresAt: Date;
  /** The last day of the medical certificate that takes its place. */
  nextMedicalUntil: string;
  identityIssued: string;
  identityUntil: string;
}

/**
 * Days of the walk through a competition: it begins in a week and lasts two days, all within one year, so that one certificate covers it.
 */
export interface CompetitionCalendar extends Pick<DemoCalendar, 'startAt' | 'identityIssued' | 'identityUntil' | 'nextMedicalUntil'> {
  startsAt: Date;
  endsAt: Date;
  /** When its results are brought in. */
  afterAt: Date;
}

/** Days of the week in the office, which ends on a day after an invoice ran out. */
export type OfficeCalendar = Omit<CompetitionCalendar, 'startsAt' | 'endsAt'>;

/** Days of the walk through messages, which ends two months before the year does. */
export interface MessagesCalendar extends Pick<DemoCalendar, 'startAt' | 'identityIssued' | 'identityUntil' | 'nextMedicalUntil'> {
  /** When the owner of a certificate of the year has been reminded of its end, whatever the reminders are spread over. */
  remindedAt: Date;
}

/** The walk itself takes less, so that no midnight falls into it. */
const walkMs = 10 * 60_000;
const morningMs = 9 * 3_600_000;

/**
 * Plans a story in which a medical certificate expires while the year goes on: it is valid through the present day. On the last day of a
 * year the expiry and the closing of the year would fall together, so the story then begins in the new year.
 */
export function planCalendar(now: Date): DemoCalendar {
  const soon = new Date(now.getTime() + walkMs);
  const isYearEnding = [now, soon].some((instant) => dayOf(instant) === lastDayOfYear(yearOf(instant)));
  const startAt = isYearEnding ? new Date(endOfYear(yearOf(now)).getTime() + morningMs) : null;
  const begin = startAt ?? soon;
  const medicalUntil = dayOf(begin);
  return {
    startAt,
    medicalUntil,
    expiresAt: endOfDay(medicalUntil),
    nextMedicalUntil: lastDayOfYear(yearOf(begin) + 1),
    identityIssued: `${yearOf(begin) - 3}-02-01`,
    identityUntil: `${yearOf(begin) + 7}-01-31`,
  };
}

/** Says how far the sandbox is ahead of real time, where a person would wonder at it; null where it is not. */
export function tellOffset(now: Date, offsetSeconds: number): string | null {
  if (offsetSeconds < 60) return null;
  const days = Math.round(offsetSeconds / 86_400);
  const ahead = days === 0 ? `${Math.round(offsetSeconds / 60)} minutes` : days === 1 ? 'a day' : `${days} days`;
  return `The registry's clock shows ${formatDateTime(now)}, ${ahead} ahead of real time: earlier demos or requests moved it, and it only goes forwards.`;
}

/** Plans a competition in a week, at ten in the morning; where the year ends before it is over, in the first days of the new one. */
export function planCompetition(now: Date): CompetitionCalendar {
  const fits = (begin: Date) => yearOf(new Date(begin.getTime() + 10 * dayMs)) === yearOf(begin);
  const startAt = fits(now) ? null : new Date(endOfYear(yearOf(now)).getTime() + morningMs);
  const begin = startAt ?? now;
  const startsAt = new Date(startOfDay(dayOf(new Date(begin.getTime() + 7 * dayMs))).getTime() + 10 * 3_600_000);
  const endsAt = new Date(startsAt.getTime() + dayMs + 8 * 3_600_000);
  return {
    startAt,
    startsAt,
    endsAt,
    afterAt: new Date(endsAt.getTime() + 3_600_000),
    nextMedicalUntil: lastDayOfYear(yearOf(begin) + 1),
    identityIssued: `${yearOf(begin) - 3}-02-01`,
    identityUntil: `${yearOf(begin) + 7}-01-31`,
  };
}

/** Plans a week of the office; where the year ends before it is over, in the first days of the new one. */
export function planOffice(now: Date): OfficeCalendar {
  const { startAt, nextMedicalUntil, identityIssued, identityUntil } = planCompetition(now);
  const begin = startAt ?? now;
  return { startAt, nextMedicalUntil, identityIssued, identityUntil, afterAt: new Date(begin.getTime() + 5 * dayMs) };
}

/** Plans a story that ends sixty days before a certificate does; where that day has passed, in the new year. */
export function planMessages(now: Date): MessagesCalendar {
  const remindedIn = (year: number) => new Date(startOfDay(lastDayOfYear(year)).getTime() - 60 * dayMs + morningMs);
  const startAt =
    now.getTime() + walkMs < remindedIn(yearOf(now)).getTime() - dayMs ? null : new Date(endOfYear(yearOf(now)).getTime() + morningMs);
  const begin = startAt ?? now;
  return {
    startAt,
    remindedAt: remindedIn(yearOf(begin)),
    nextMedicalUntil: lastDayOfYear(yearOf(begin) + 1),
    identityIssued: `${yearOf(begin) - 3}-02-01`,
    identityUntil: `${yearOf(begin) + 7}-01-31`,
  };
}
