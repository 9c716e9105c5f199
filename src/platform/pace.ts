import { setTimeout } from 'node:timers/promises';

/** Turns that keep a distance from each other, whoever takes them: the longer the last answer took, the longer the distance. */
export interface Pace {
  /** Waits until it is the caller's turn. */
  turn(): Promise<void>;
  /** @param tookMs how long what was done in a turn has taken, milliseconds */
  answered(tookMs: number): void;
}

/** So many times as long as an answer took, nobody takes a turn. */
const restShare = 8;

/** @param distance from one turn to the next, milliseconds: `least` while answers are quick, never more than `most` */
export function createPace({ least, most }: { least: number; most: number }): Pace {
  let apartMs = least;
  let freeAt = Date.now();
  return {
    turn: async () => {
      const waitMs = Math.max(0, freeAt - Date.now());
      freeAt = Date.now() + waitMs + apartMs;
      if (waitMs > 0) await setTimeout(waitMs);
    },
    answered: (tookMs) => {
      apartMs = Math.min(Math.max(tookMs * restShare, least), most);
    },
  };
}
