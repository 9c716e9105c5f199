import { dayOf, endOfDay } from '../../../platform/time/date-time.ts';
import type { Event, RegistrationSettings } from '../entities.ts';

export interface EventDates {
  startsAt: Date;
  endsAt: Date;
}

/** Consecutive days, `YYYY-MM-DD` in UTC+5, both included; empty when `last` lies before `first`. */
export interface DaySpan {
  first: string;
  last: string;
}

/** Returns the span from the day of the start to the day of the end. */
export function competitionSpan({ startsAt, endsAt }: EventDates): DaySpan {
  return { first: dayOf(startsAt), last: dayOf(endsAt) };
}

/** Lists the days of a competition, `YYYY-MM-DD` in UTC+5, first and last included. */
export function competitionDays({ startsAt, endsAt }: EventDates): string[] {
  const { first, last } = competitionSpan({ startsAt, endsAt });
  const days = [];
  for (let day = first; day <= last; day = dayOf(endOfDay(day))) days.push(day);
  return days;
}

/** Whether an event takes registrations at an instant. `not_open`: not yet, or the organizer has set no opening. */
export type Intake = 'unpublished' | 'not_open' | 'open' | 'closed';

type Published = Pick<Event, 'status' | 'startsAt' | 'endsAt'>;
type IntakeDates = Pick<RegistrationSettings, 'opensAt' | 'closesAt'>;

/**
 * Returns the state of an event's intake at an instant (EVT-14). Only status and dates decide, so a late process changes nothing.
 */
export function intakeOf(event: Published, settings: IntakeDates | null, now: Date): Intake {
  if (event.status === 'draft' || event.status === 'in_progress' || event.status === 'cancelled') return 'unpublished';
  if (event.status === 'completed') return 'closed';
  if (settings === null || settings.opensAt === null) return 'not_open';
  if (now >= closingOf(event, settings)) return 'closed';
  return now >= settings.opensAt ? 'open' : 'not_open';
}

/**
 * Returns when an intake closes: at `closesAt`, by default at the start, at the latest with the event (EVT-14).
 *
 * It may close after the start: in an event across New Year the later year's licences exist only from that year's first day.
 */
export function closingOf({ startsAt, endsAt }: Pick<Event, 'startsAt' | 'endsAt'>, { closesAt }: Pick<IntakeDates, 'closesAt'>): Date {
  if (closesAt === null) return startsAt;
  return closesAt > endsAt ? endsAt : closesAt;
}
