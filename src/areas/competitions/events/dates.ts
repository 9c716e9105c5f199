import { dayOf, endOfDay } from '../../../platform/date-time.ts';
import type { Event, RegistrationSettings } from '../entities.ts';

/** When a competition takes place. */
export interface EventDates {
  startsAt: Date;
  endsAt: Date;
}

/** Days one after the other, `YYYY-MM-DD` in UTC+5, both ends included; none where the last lies before the first. */
export interface DaySpan {
  first: string;
  last: string;
}

/** From the day of a competition's start to that of its end. */
export function competitionSpan({ startsAt, endsAt }: EventDates): DaySpan {
  return { first: dayOf(startsAt), last: dayOf(endsAt) };
}

/** The days of a competition in UTC+5, `YYYY-MM-DD`, from that of its start to that of its end, both included (decisions.md §6). */
export function competitionDays({ startsAt, endsAt }: EventDates): string[] {
  const { first, last } = competitionSpan({ startsAt, endsAt });
  const days = [];
  for (let day = first; day <= last; day = dayOf(endOfDay(day))) days.push(day);
  return days;
}

/** Whether an event takes registrations at an instant. `not_open`: not yet, or its organizer has set no opening. */
export type Intake = 'unpublished' | 'not_open' | 'open' | 'closed';

type Published = Pick<Event, 'status' | 'startsAt' | 'endsAt'>;
type IntakeDates = Pick<RegistrationSettings, 'opensAt' | 'closesAt'>;

/**
 * How the intake of an event stands at an instant (decisions.md §6 "Registrations"): decided by the dates alone, whether or not the
 * event's process has come to it. One that is completed has been published and takes nothing more.
 */
export function intakeOf(event: Published, settings: IntakeDates | null, now: Date): Intake {
  if (event.status === 'draft' || event.status === 'in_progress' || event.status === 'cancelled') return 'unpublished';
  if (event.status === 'completed') return 'closed';
  if (settings === null || settings.opensAt === null) return 'not_open';
  if (now >= closingOf(event, settings)) return 'closed';
  return now >= settings.opensAt ? 'open' : 'not_open';
}

/**
 * When an intake closes: as set, and with the event at the latest; at its start where nothing is set. It may go on after the start: for a
 * competition across New Year nobody has the later year's licence before the first day of that year.
 */
export function closingOf({ startsAt, endsAt }: Pick<Event, 'startsAt' | 'endsAt'>, { closesAt }: Pick<IntakeDates, 'closesAt'>): Date {
  if (closesAt === null) return startsAt;
  return closesAt > endsAt ? endsAt : closesAt;
}
