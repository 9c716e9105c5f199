import { dayMs, dayOf } from '../../../platform/time/date-time.ts';
import type { Event, EventStage } from '../entities.ts';
import { closingOf } from './dates.ts';
import type { LockedEvent } from './queries.ts';
import type { EventRecord } from './record.ts';
import { isInTurn, isLiving, type StageName, stageNames } from './states.ts';

/** Days before the start of an event (EVT-8). */
const daysBeforeStart: Record<Exclude<StageName, 'results'>, number> = { agreement: 45, details: 30, regulations: 14 };
const daysAfterEnd = 7;
const daysAhead = 7;

/** Returns the deadline of a stage. A late submission is not refused (EVT-8). */
export function deadlineOf({ startsAt, endsAt }: Pick<Event, 'startsAt' | 'endsAt'>, stage: StageName): Date {
  if (stage === 'results') return new Date(endsAt.getTime() + daysAfterEnd * dayMs);
  return new Date(startsAt.getTime() - daysBeforeStart[stage] * dayMs);
}

/** Whether the last day of a stage has gone by. */
export function isDeadlinePassed(event: Pick<Event, 'startsAt' | 'endsAt'>, stage: StageName, now: Date): boolean {
  return dayOf(deadlineOf(event, stage)) < dayOf(now);
}

/**
 * Settles the reminder of a stage that begins to wait for the organizer, or whose deadline moved (EVT-8): none for a deadline that has
 * passed already, a new one for a deadline that moved further ahead.
 */
export function settleReminder({ event, stages }: Pick<LockedEvent, 'event' | 'stages'>, name: StageName, now: Date): void {
  const stage = stages[name];
  if (!waitsForOrganizer(stage)) return;
  if (isDeadlinePassed(event, name, now)) stage.remindedAt ??= now;
  else if (reminderOf(event, name) > now) stage.remindedAt = null;
}

function waitsForOrganizer({ status }: Pick<EventStage, 'status'>): boolean {
  return status === 'open' || status === 'changes';
}

/** Returns when the organizer is reminded: a week before the deadline. A stage that opens later, but before the deadline, is due at once. */
export function reminderOf(event: Pick<Event, 'startsAt' | 'endsAt'>, stage: StageName): Date {
  return new Date(deadlineOf(event, stage).getTime() - daysAhead * dayMs);
}

/** A scheduled step of an event's process; each runs once. */
export type ScheduledStep = { at: Date; why: string } & (
  | { step: 'remind'; stage: StageName }
  | { step: 'announce_opening' }
  | { step: 'announce_closing' }
  | { step: 'tell_submissions' }
);

/** Lists the scheduled steps of an event that have not run, the earliest first; those in the past are due. */
export function scheduledSteps(record: EventRecord): ScheduledStep[] {
  if (!isLiving(record.event.status)) return [];
  return [...remindersOf(record), ...intakeSteps(record), ...submissionSteps(record)].toSorted(
    (left, right) => left.at.getTime() - right.at.getTime(),
  );
}

/** Reminders of stages that wait for the organizer (EVT-8). A scan under review waits for the administrator. */
function remindersOf({ event, stages }: EventRecord): ScheduledStep[] {
  return stageNames
    .filter((stage) => stages[stage].remindedAt === null)
    .filter((stage) => waitsForOrganizer(stages[stage]) && isInTurn({ stages }, stage))
    .filter((stage) => stage !== 'agreement' || event.agreementScanAt === null)
    .map((stage) => ({ step: 'remind', stage, at: reminderOf(event, stage), why: `reminder: ${stage} due` }));
}

/** Opening and closing of a published event's intake; none when it closes before the opening or the publication. */
function intakeSteps({ event, settings }: EventRecord): ScheduledStep[] {
  if (event.status !== 'published' || event.publishedAt === null || settings === null || settings.opensAt === null) return [];
  const closing = closingOf(event, settings);
  if (closing <= event.publishedAt || closing <= settings.opensAt) return [];
  return [
    ...(settings.openedAt === null ? [{ step: 'announce_opening' as const, at: settings.opensAt, why: 'intake opens' }] : []),
    ...(settings.closedAt === null ? [{ step: 'announce_closing' as const, at: closing, why: 'intake closes' }] : []),
  ];
}

/** The organizer is notified of new registrations at most once in this time (REG-19). */
export const submissionsEveryMs = 3_600_000;

/** Registrations that were submitted since the organizer was last notified (REG-19). */
function submissionSteps({ event, settings }: EventRecord): ScheduledStep[] {
  if (event.status !== 'published' || settings?.hasUntoldSubmissions !== true || settings.submissionsToldAt === null) return [];
  const at = new Date(settings.submissionsToldAt.getTime() + submissionsEveryMs);
  return [{ step: 'tell_submissions', at, why: 'new registrations are told' }];
}
