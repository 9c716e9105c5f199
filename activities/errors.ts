import { ApplicationFailure } from '@temporalio/common';
import { errorCatalogue, isDomainError } from '../src/errors.ts';
import { BankUnavailableError } from '../src/platform/bank/bank.ts';
import { isDataError, toDomainError } from '../src/platform/database/constraint-errors.ts';

/** The cause of each failure, while the failure is referenced. */
const causes = new WeakMap<object, unknown>();

/** Returns the unexpected cause of a failure, for the worker's log. The failure itself enters a history, so it has no cause. */
export function unexpectedCauseOf(failure: unknown): unknown {
  return typeof failure === 'object' && failure !== null ? causes.get(failure) : undefined;
}

/**
 * Translates errors into Temporal failures. A refusal is final and keeps its code and details. A value that the database cannot store is
 * final as `internal_error`. All other errors are retried. The failure never contains a cause.
 * @param pauseMs pause before a retry; Temporal's own by default
 */
export function asFailure(error: unknown, pauseMs?: () => number): ApplicationFailure {
  const refusal = isDomainError(error) ? error : toDomainError(error);
  if (refusal && refusal.status < 500) {
    return ApplicationFailure.create({
      message: refusal.message,
      type: refusal.code,
      nonRetryable: true,
      ...(refusal.details ? { details: [refusal.details] } : {}),
    });
  }
  if (error instanceof BankUnavailableError)
    return ApplicationFailure.create({ message: 'the bank did not answer', type: 'bank_unavailable', nonRetryable: true });
  const name = error instanceof Error ? error.name : 'unknown error';
  const isFinal = isDataError(error);
  const failure = ApplicationFailure.create({
    message: isFinal ? errorCatalogue.internal_error.message : (refusal?.message ?? `the step failed: ${name}`),
    type: refusal?.code ?? 'internal_error',
    nonRetryable: isFinal,
    ...(isFinal || pauseMs === undefined ? {} : { nextRetryDelay: pauseMs() }),
  });
  causes.set(failure, error);
  return failure;
}
