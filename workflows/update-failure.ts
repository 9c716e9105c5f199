import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';

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
