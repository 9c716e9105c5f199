import { dayMs, dayOf, endOfDay, startOfDay } from '../../platform/time/date-time.ts';
import { spreadOf } from '../../platform/turns/spread.ts';
import type { NextLook } from '../../platform/workflows/define-process.ts';

/** Days before the last day on which the owner is reminded, earliest first (DOC-5). */
export const reminderDays = [60, 30, 7] as const;

/** A record with a last day and its next reminder; earlier reminders were sent or skipped. */
export interface Reminded {
  /** `YYYY-MM-DD`. */
  lastDay: string;
  remindAt: Date | null;
}

/** The first reminder after an instant; earlier thresholds are skipped (DOC-5). Null when none is left. */
export function reminderAfter(lastDay: string, instant: Date): Date | null {
  const start = startOfDay(lastDay).getTime();
  return reminderDays.map((days) => new Date(start - days * dayMs)).find((at) => at > instant) ?? null;
}

/** The next reminder; null when none is left, or when the last day has passed: then the expiry is announced instead. */
export function reminderAhead({ lastDay, remindAt }: Reminded, now: Date): Date | null {
  return now < endOfDay(lastDay) ? remindAt : null;
}

/** Whether a reminder is due. Of several overdue reminders only one is sent: the next one is after `now`. */
export function isReminderDue(reminded: Reminded, now: Date): boolean {
  const at = reminderAhead(reminded, now);
  return at !== null && at <= now;
}

/** Days (UTC+5) from an instant to a last day; 0 on the last day itself. */
export function daysUntil(lastDay: string, now: Date): number {
  return Math.round((startOfDay(lastDay).getTime() - startOfDay(dayOf(now)).getTime()) / dayMs);
}

/**
 * All certificates of a year end on the same day, so their reminders would start in the same second. Each process takes its own second
 * within six hours: about ten a second for 200,000 certificates.
 */
const spreadSeconds = 6 * 3600;

/** Schedules the next reminder. @param what the record's name in the timer: "document 3" */
export function reminderLook(reminded: Reminded, now: Date, { id, what }: { id: number; what: string }): NextLook | null {
  const at = reminderAhead(reminded, now);
  const why = (on: Date) => `reminder: ${what} expires in ${daysUntil(reminded.lastDay, on)} days`;
  return at && { at, why: why(at), spreadMs: spreadOf(id, spreadSeconds) };
}
