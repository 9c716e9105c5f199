const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Pauses after each failed try, milliseconds (WHK-5). */
export const pauses = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour, 24 * hour];
/** Receivers that fail together are not tried together: a pause is up to so much longer. */
const shareOfChance = 0.2;

/**
 * Returns when a delivery is tried again (WHK-5); null after the last try.
 * @param tries so far
 * @param chance from 0 to 1
 */
export function nextTryAfter(tries: number, now: Date, chance: number): Date | null {
  const pause = pauses[tries - 1];
  return pause === undefined ? null : new Date(now.getTime() + Math.round(pause * (1 + shareOfChance * chance)));
}
