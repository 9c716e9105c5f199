import { dayOf, endOfDay, startOfDay } from '../../platform/date-time.ts';
import type { DaySpan } from '../competitions/index.ts';

/**
 * Splits a span at its changes, so that a rule is evaluated once for each part, not for each day.
 * @param changes days whose facts differ from the day before, in any order
 */
export function partsOf({ first, last }: DaySpan, changes: readonly string[]): DaySpan[] {
  if (first > last) return [];
  const starts = [...new Set([first, ...changes])].filter((day) => first <= day && day <= last).toSorted();
  return starts.map((start, index) => {
    const next = starts[index + 1];
    return { first: start, last: next === undefined ? last : dayBefore(next) };
  });
}

/** Returns the day after a last valid day. */
export function dayAfter(day: string): string {
  return dayOf(endOfDay(day));
}

function dayBefore(day: string): string {
  return dayOf(new Date(startOfDay(day).getTime() - 1));
}
