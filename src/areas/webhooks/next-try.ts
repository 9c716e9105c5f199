import { dayMs } from '../../platform/time/date-time.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Pauses after each failed try, milliseconds (WHK-5). */
export const pauses = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour, 24 * hour];
/** Receivers that fail together are not tried together: a pause is up to so much longer. */
const shareOfChance = 0.2;
/** Days without a delivery after which a failing webhook is disabled (WHK-5). */
export const failingDays = 5;
/** Subjects in a row whose first try fails before the receiver counts as dead (WHK-4). */
export const deadAfter = 50;
const longestRestMs = 30 * minute;

/** A try that the receiver did not take. */
interface FailedTry {
  /** Tries of this delivery so far. */
  tries: number;
  /** Since when its subject fails: now at its first failure. */
  subjectSince: Date;
  /** Since when the receiver takes nothing; null while it takes other changes. */
  webhookSince: Date | null;
  /** What the receiver asked for, milliseconds; 0 for nothing. */
  retryAfterMs: number;
}

/**
 * Returns when a delivery is tried again (WHK-5). Null gives it up: the receiver refused it ten times, and took others meanwhile.
 * @param chance from 0 to 1
 */
export function nextTryAfter({ tries, subjectSince, webhookSince, retryAfterMs }: FailedTry, now: Date, chance: number): Date | null {
  const takesOthers = webhookSince === null || webhookSince > subjectSince;
  const pause = pauses[tries - 1] ?? (takesOthers ? null : 24 * hour);
  if (pause === null) return null;
  const usual = now.getTime() + Math.round(pause * (1 + shareOfChance * chance));
  // The last try is not later than the end of a webhook that takes nothing.
  const end = webhookSince === null ? Infinity : endOfFailing(webhookSince).getTime();
  return new Date(Math.max(now.getTime() + retryAfterMs, end > now.getTime() ? Math.min(usual, end) : usual));
}

/** Returns when a webhook that has taken nothing since an instant is disabled (WHK-5). */
export function endOfFailing(since: Date): Date {
  return new Date(since.getTime() + failingDays * dayMs);
}

/**
 * Returns until when a dead receiver gets nothing: then a single try finds out whether it lives again (WHK-4).
 * @returns null for a receiver that is not dead
 */
export function restAfter(failedInRow: number, now: Date): Date | null {
  if (failedInRow < deadAfter) return null;
  return new Date(now.getTime() + Math.min(pauses[failedInRow - deadAfter] ?? longestRestMs, longestRestMs));
}
