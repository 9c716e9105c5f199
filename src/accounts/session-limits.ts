/**
 * How long a browser stays signed in. These guard real seconds, so they are measured by the system's clock and not by the
 * sandbox's, which would sign everybody out when time is moved.
 */
export const sessionLimits = {
  /** Nobody used it for so long: over. */
  idleMs: 12 * 60 * 60_000,
  /** Over, used or not. */
  absoluteMs: 30 * 24 * 60 * 60_000,
} as const;

/** The last use of a session or a key is noted at most so often: a write for each request would cost more than it tells. */
export const lastUseStepMs = 60_000;
