import { ApplicationFailure } from '@temporalio/common';
import { errorCatalogue, isDomainError } from '../src/errors.ts';
import { BankUnavailableError } from '../src/platform/bank/bank.ts';
import { isDataError, toDomainError } from '../src/platform/database/constraint-errors.ts';

/** What went wrong behind a failure that hides it, as long as the failure lives. */
const causes = new WeakMap<object, unknown>();

/** The error that a failure stands for, where nobody expected it; for the log of the worker, since a failure goes into a history. */
export function unexpectedCauseOf(failure: unknown): unknown {
  return typeof failure === 'object' && failure !== null ? causes.get(failure) : undefined;
}

/**
 * The one translator between the domain's refusals and Temporal's failures: a refusal is final and keeps its code and
 * details; so is a value that the database cannot store, as `internal_error`; anything else is the outside world's fault and is tried
 * again. Only codes and words of ours travel, never a cause.
 * @param pauseMs before the next try of what is tried again; Temporal's own where it is not given
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
