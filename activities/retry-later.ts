import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { asFailure } from './errors.ts';

/** Milliseconds before jitter: the pause before the second attempt, and the longest. */
const [first, longest] = [2_000, 60_000];

/**
 * Runs work without a waiting caller. External failures are retried with exponential backoff and jitter, up to a minute and a half;
 * Temporal's own intervals have no jitter. A refusal is final. Work that a stopping worker interrupts has not failed.
 */
export async function retryLater<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    throw asFailure(error, () => backoffAfter(Context.current().info.attempt));
  }
}

/**
 * @param attempt counted from 1
 * @returns milliseconds
 */
export function backoffAfter(attempt: number): number {
  return Math.round(Math.min(first * 3 ** (attempt - 1), longest) * (0.5 + Math.random()));
}
