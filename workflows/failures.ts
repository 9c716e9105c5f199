import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';

/** A failure that blocks own steps of a process. */
export interface Trouble {
  /** Message without private data (`activities/errors.ts`). */
  words: string;
  /** A code of `src/errors.ts`. */
  code: string;
  /** The record is the cause, not an external service: retries fail until the record is corrected. */
  isOfRecord: boolean;
  /** Failures in a row. */
  tries: number;
}

/**
 * Adds a failure to the current trouble. Refusals and unexpected errors count as caused by the record; timeouts and outages as external.
 */
export function troubleOf(error: unknown, before: Trouble | null): Trouble {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const tries = (before?.tries ?? 0) + 1;
  if (!(cause instanceof ApplicationFailure)) return { words: 'it took too long', code: 'service_unavailable', isOfRecord: false, tries };
  const code = cause.type ?? 'internal_error';
  return { words: cause.message, code, isOfRecord: code !== 'service_unavailable', tries };
}

/** First and longest pause, milliseconds before jitter. */
const pauses = { record: [60_000, 3_600_000], world: [5_000, 300_000] } as const;

/** Returns the pause before the next attempt: exponential backoff with jitter. */
export function pauseAfter({ isOfRecord, tries }: Trouble): number {
  const [first, longest] = isOfRecord ? pauses.record : pauses.world;
  return Math.min(first * 2 ** (tries - 1), longest) * (0.5 + Math.random());
}

/**
 * Converts an error into the failure of an update. Only an ApplicationFailure fails an update; any other error would block the process. A
 * refusal stays unchanged; unfinished work (a failing step, a timed-out activity) becomes `service_unavailable`.
 */
export function toUpdateFailure(error: unknown): unknown {
  if (isCancellation(error)) return error;
  // A local step fails with its own failure; that of an activity is wrapped.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.nonRetryable) {
    return ApplicationFailure.create({
      message: cause.message,
      type: cause.type ?? 'internal_error',
      nonRetryable: true,
      ...(cause.details ? { details: cause.details } : {}),
    });
  }
  if (error instanceof ActivityFailure || cause instanceof ApplicationFailure)
    return ApplicationFailure.create({
      message: 'the step did not end in time',
      type: 'service_unavailable',
      nonRetryable: true,
    });
  return ApplicationFailure.create({ message: 'the process failed to answer', type: 'internal_error', nonRetryable: true });
}
