/** First and longest retry pause, milliseconds, before jitter. */
const [first, longest] = [10_000, 600_000];

/**
 * Returns the pause before the next attempt: exponential backoff up to a quarter of an hour, without an end (NOT-4).
 * Half of it is jitter, so that failures of the same moment do not retry at the same moment.
 * @param tries failed attempts in a row, from 1
 * @param leastMs pause that the other side demands, such as the rate limit of the bot platform
 */
export function pauseAfterTry(tries: number, leastMs = 0, chance: () => number = Math.random): number {
  return Math.max(leastMs, Math.round(Math.min(first * 2 ** (tries - 1), longest) * (0.5 + chance())));
}

/** Attempts of one mail that the server refuses for now, over about a day; then the mail is dropped and an incident opened. */
export const mostDeferrals = 14;

/** Returns the pause of one mail that the server refuses for now, milliseconds: exponential backoff with jitter. */
export function pauseAfterDeferral(deferrals: number, chance: () => number = Math.random): number {
  return Math.round(first * 2 ** (deferrals - 1) * (0.5 + chance()));
}
