import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { asFailure } from './errors.ts';

/** Milliseconds before jitter: the pause before the second attempt, and the longest. */
const [first, longest] = [2_000, 600_000];

/**
 * Runs work without a waiting caller. External failures are retried with exponential backoff up to a quarter of an hour, with jitter:
 * Temporal's own intervals would retry all failures of a moment together. A refusal is final. Work interrupted by a stopping worker has not
 * failed.
 */
export async function triedLater<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    throw asFailure(error, () => pauseAfterAttempt(Context.current().info.attempt));
  }
}

/**
 * @param attempt counted from 1
 * @returns milliseconds
 */
export function pauseAfterAttempt(attempt: number): number {
  return Math.round(Math.min(first * 3 ** (attempt - 1), longest) * (0.5 + Math.random()));
}
