import { dayMs, dayOf, endOfDay, startOfDay } from '../../platform/date-time.ts';
import { spreadOf } from '../../platform/turns/spread.ts';
import type { NextLook } from '../../platform/workflows/define-process.ts';

/** So many days before a last day its owner is reminded of it, the earliest first (decisions.md §8). */
export const reminderDays = [60, 30, 7] as const;

/** What ends, and when its owner is to be told of it next; what was told or skipped lies before that. */
export interface Reminded {
  /** `YYYY-MM-DD`. */
  lastDay: string;
  remindAt: Date | null;
}

/** The first reminder of a last day behind an instant: those that had come by then are skipped. Null when none is left. */
export function reminderAfter(lastDay: string, instant: Date): Date | null {
  const start = startOfDay(lastDay).getTime();
  return reminderDays.map((days) => new Date(start - days * dayMs)).find((at) => at > instant) ?? null;
}

/** When the owner is to be told; null when nothing is left to tell, or the last day has passed meanwhile: then its end itself is told. */
export function reminderAhead({ lastDay, remindAt }: Reminded, now: Date): Date | null {
  return now < endOfDay(lastDay) ? remindAt : null;
}

/** Whether the owner must be told now. Of several reminders that nobody was there to tell, one is told: the next lies behind `now`. */
export function isReminderDue(reminded: Reminded, now: Date): boolean {
  const at = reminderAhead(reminded, now);
  return at !== null && at <= now;
}

/** From the day of an instant to a last day, as days are counted in the registry; 0 on the last day itself. */
export function daysUntil(lastDay: string, now: Date): number {
  return Math.round((startOfDay(lastDay).getTime() - startOfDay(dayOf(now)).getTime()) / dayMs);
}

/**
 * All certificates of a year end on one day, so that their reminders fall on one second: each process looks at its own second of the six hours
 * after it, which is some ten a second for 200,000.
 */
const spreadSeconds = 6 * 3600;

/** The look at which a reminder is told. @param what the record as the timer names it: "document 3" */
export function reminderLook(reminded: Reminded, now: Date, { id, what }: { id: number; what: string }): NextLook | null {
  const at = reminderAhead(reminded, now);
  const why = (on: Date) => `reminder: ${what} expires in ${daysUntil(reminded.lastDay, on)} days`;
  return at && { at, why: why(at), spreadMs: spreadOf(id, spreadSeconds) };
}
