/** Milliseconds: before the second try, and the longest, each before half of it is left to chance. */
const [first, longest] = [10_000, 600_000];

/**
 * How long what could not be handed over waits for its next try: twice as long each time, up to a quarter of an hour, and without an end. Half is
 * left to chance, so that what failed together does not come back together.
 * @param tries that failed in a row, from 1
 * @param leastMs what the other side wants, such as the platform of the bot that limits us
 */
export function pauseAfterTry(tries: number, leastMs = 0, chance: () => number = Math.random): number {
  return Math.max(leastMs, Math.round(Math.min(first * 2 ** (tries - 1), longest) * (0.5 + chance())));
}

/** Tries of one mail that the server refuses for now, over about a day. Then the mail is set aside. */
export const mostTriesOfMail = 14;

/** How long one mail waits that the server refuses for now, milliseconds: twice as long each time, spread by chance as above. */
export function pauseOfMail(tries: number, chance: () => number = Math.random): number {
  return Math.round(first * 2 ** (tries - 1) * (0.5 + chance()));
}
