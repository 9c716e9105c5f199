import type { Event, RegistrationSettings } from './entities.ts';

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
