import { DomainError } from '../../errors.ts';
import { errorName } from '../../platform/error-code.ts';
import type { Inspection } from '../../platform/inspector/inspection.ts';
import { InspectionBudgetError, type InspectionJob, TooManyWaitingError } from '../../platform/inspector/inspector.ts';
import type { Platform } from '../../platform/platform.ts';

/** Upper bound of one examination; after it the next file of the same account starts. */
const secondsOfATurn = 5;

/**
 * Examines a file in a separate process, in its owner's turn, and charges the time to account and address (FIL-2).
 * @throws {DomainError} rate_limited while too many files of this account wait, or after it has used its inspection time;
 * service_unavailable
 * @throws the reason of the job's `signal`, when it is aborted
 */
export async function examineFile({ inspector }: Pick<Platform, 'inspector'>, job: InspectionJob): Promise<Inspection> {
  try {
    return await inspector.inspect(job);
  } catch (error) {
    if (errorName(error) === 'InspectorUnavailableError')
      throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
    if (error instanceof TooManyWaitingError)
      throw new DomainError(
        'rate_limited',
        { retry_after_seconds: secondsOfATurn, waiting: error.limit },
        'Too many files of this account wait for their examination. Send the file again later.',
      );
    if (error instanceof InspectionBudgetError)
      throw new DomainError(
        'rate_limited',
        { retry_after_seconds: Math.max(1, Math.ceil(error.restMs / 1000)) },
        'The examination of your files took too long in the last ten minutes. Send the file again later.',
      );
    throw error;
  }
}
