import { dayMs } from '../platform/date-time.ts';
import type { Event } from './entities.ts';
import type { StageName } from './states.ts';

/** Days before the start of an event (decisions.md §6). */
const daysBeforeStart: Record<Exclude<StageName, 'results'>, number> = { agreement: 45, details: 30, regulations: 14 };
const daysAfterEnd = 7;
const daysAhead = 7;

/** When a stage is expected at the latest; nothing is refused for being late. */
export function deadlineOf({ startsAt, endsAt }: Pick<Event, 'startsAt' | 'endsAt'>, stage: StageName): Date {
  if (stage === 'results') return new Date(endsAt.getTime() + daysAfterEnd * dayMs);
  return new Date(startsAt.getTime() - daysBeforeStart[stage] * dayMs);
}

/** When the organizer is reminded of it; a stage that opens later is reminded of at once. */
export function reminderOf(event: Pick<Event, 'startsAt' | 'endsAt'>, stage: StageName): Date {
  return new Date(deadlineOf(event, stage).getTime() - daysAhead * dayMs);
}
