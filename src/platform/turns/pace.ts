import { setTimeout } from 'node:timers/promises';

/** Keeps a distance between turns: the longer the last answer took, the longer the distance. */
export interface Pace {
  /** Waits until it is the caller's turn. */
  turn(): Promise<void>;
  /** @param tookMs duration of the work in a turn, milliseconds */
  answered(tookMs: number): void;
}

/** From one turn to the next: `share` times as long as the last answer took, but `leastMs` at least and `mostMs` at the most. */
export interface PaceDistance {
  share: number;
  leastMs: number;
  mostMs: number;
}

/** A pace for one piece of work; the first turn comes at once. */
export function createPace({ share, leastMs, mostMs }: PaceDistance): Pace {
  let apartMs = leastMs;
  let freeAt = Date.now();
  return {
    turn: async () => {
      const waitMs = Math.max(0, freeAt - Date.now());
      freeAt = Date.now() + waitMs + apartMs;
      if (waitMs > 0) await setTimeout(waitMs);
    },
    answered: (tookMs) => {
      apartMs = Math.min(Math.max(tookMs * share, leastMs), mostMs);
    },
  };
}
