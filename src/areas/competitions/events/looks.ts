import { dayMs } from '../../../platform/date-time.ts';
import type { Event } from '../entities.ts';
import { closingOf } from './dates.ts';
import type { EventRecord } from './record.ts';
import { isLiving, type StageName, stageNames } from './states.ts';

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

/** Something that an event's process does by itself, and when: each once. */
export type EventLook = { at: Date; why: string } & (
  | { step: 'remind'; stage: StageName }
  | { step: 'note_opening' }
  | { step: 'note_closing' }
);

/** Everything that is still ahead of an event by the clock, the earliest first; what is in the past is due (decisions.md §6). */
export function looksOf(record: EventRecord): EventLook[] {
  if (!isLiving(record.event.status)) return [];
  return [...remindersOf(record), ...intakeLooksOf(record)].toSorted((left, right) => left.at.getTime() - right.at.getTime());
}

/** Stages that wait for the organizer and of which they were not reminded. */
function remindersOf({ event, stages }: EventRecord): EventLook[] {
  return stageNames
    .filter((stage) => stages[stage].remindedAt === null)
    .filter((stage) => stages[stage].status === 'open' || stages[stage].status === 'changes')
    .filter((stage) => stage !== 'agreement' || event.agreementScanAt === null)
    .map((stage) => ({ step: 'remind', stage, at: reminderOf(event, stage), why: `reminder: ${stage} due` }));
}

/** Of a published event that takes registrations at all, or would have. */
function intakeLooksOf({ event, settings }: EventRecord): EventLook[] {
  if (event.status !== 'published' || event.publishedAt === null || settings === null || settings.opensAt === null) return [];
  const closing = closingOf(event, settings);
  if (closing <= event.publishedAt || closing <= settings.opensAt) return [];
  return [
    ...(settings.openedAt === null ? [{ step: 'note_opening' as const, at: settings.opensAt, why: 'intake opens' }] : []),
    ...(settings.closedAt === null ? [{ step: 'note_closing' as const, at: closing, why: 'intake closes' }] : []),
  ];
}
