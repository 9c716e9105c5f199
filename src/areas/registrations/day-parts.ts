import { dayOf, endOfDay, startOfDay } from '../../platform/date-time.ts';
import type { DaySpan } from '../competitions/index.ts';

/**
 * Cuts a span where something changes, so that a rule is asked once for each part instead of once for each day.
 * @param changes days on which something is otherwise than on the day before, in any order
 */
export function partsOf({ first, last }: DaySpan, changes: readonly string[]): DaySpan[] {
  if (first > last) return [];
  const starts = [...new Set([first, ...changes])].filter((day) => first <= day && day <= last).toSorted();
  return starts.map((start, index) => {
    const next = starts[index + 1];
    return { first: start, last: next === undefined ? last : dayBefore(next) };
  });
}

/** The day after a last valid day. */
export function dayAfter(day: string): string {
  return dayOf(endOfDay(day));
}

function dayBefore(day: string): string {
  return dayOf(new Date(startOfDay(day).getTime() - 1));
}
