import { causeOf } from '../src/platform/logging/log.ts';
import type { Platform } from '../src/platform/platform.ts';
import type { ProcessRef } from '../src/platform/workflows/process-ref.ts';
import { unexpectedCauseOf } from './errors.ts';

/** Logs the cause of a failed step, which the history does not contain. */
export async function logFailure<T>(platform: Platform, ref: ProcessRef, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    const err = unexpectedCauseOf(failure);
    if (err !== undefined) platform.log.warn({ process: ref, err, cause: causeOf(err) }, 'a step failed');
    throw failure;
  }
}
