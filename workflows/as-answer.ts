import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';

/**
 * Only an ApplicationFailure fails an update; anything else would block the whole process. So a refusal goes out as it is,
 * and whatever could not be finished (a step that failed again and again, an activity that never came back) becomes "try again".
 */
export function asAnswer(error: unknown): unknown {
  if (isCancellation(error)) return error;
  // A local step fails by its own failure; around that of an activity there is another.
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
      message: 'the step could not be finished in time',
      type: 'service_unavailable',
      nonRetryable: true,
    });
  return ApplicationFailure.create({ message: 'the process failed to answer', type: 'internal_error', nonRetryable: true });
}
