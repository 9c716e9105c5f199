import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { asFailure } from './errors.ts';

/** Milliseconds, before chance has its share: before the second try, and the longest pause. */
const [first, longest] = [2_000, 600_000];

/**
 * For work that nobody waits for. Where the world is at fault it is tried again, each time after a longer pause, up to a quarter of an hour.
 * Chance makes each up to half shorter or longer: Temporal's own intervals would bring back together what failed together. A refusal is the
 * record's fault and ends it. Work that was stopped with its worker has not failed.
 */
export async function triedLater<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    throw asFailure(error, () => pauseAfterAttempt(Context.current().info.attempt));
  }
}

/** @param attempt counted from 1 @returns milliseconds */
export function pauseAfterAttempt(attempt: number): number {
  return Math.round(Math.min(first * 3 ** (attempt - 1), longest) * (0.5 + Math.random()));
}
