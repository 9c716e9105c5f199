import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { query } from '../src/platform/commands/command.ts';
import { causeOf } from '../src/platform/logging/log.ts';
import type { Platform } from '../src/platform/platform.ts';
import type { ProcessRef } from '../src/platform/workflows/process-ref.ts';
import { clearTrouble, recordTrouble, type StepFailure } from '../src/platform/workflows/process-troubles.ts';

/** An own step of a process. */
interface OwnStep {
  process: ProcessRef;
  step: string;
  /** Long work clears its trouble at every success; other steps only after a failed attempt. */
  isLong?: boolean;
}

/**
 * Records a failing step for administrators (`process_troubles`) and deletes the row on success. If that fails, the next failure or the
 * sweeper repeats it. A stopping worker is not a failure.
 */
export async function recordFailure<T>(platform: Platform, own: OwnStep, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (failure) {
    if (failure instanceof CancelledFailure) throw failure;
    await attempt(
      platform,
      own,
      query(platform, (db, now) => recordTrouble(db, own, failureOf(failure), now)),
    );
    throw failure;
  }
  if (own.isLong === true || mayHaveFailed())
    await attempt(
      platform,
      own,
      query(platform, (db) => clearTrouble(db, own)),
    );
  return result;
}

/** Returns whether this is a second attempt, or the single attempt of a process with a trouble (`workflows/activity-profiles.ts`). */
function mayHaveFailed(): boolean {
  const { attempt: count, retryPolicy } = Context.current().info;
  return count > 1 || retryPolicy?.maximumAttempts === 1;
}

/** Classifies a failure as the process does (`workflows/failures.ts`). */
function failureOf(failure: unknown): StepFailure {
  if (!(failure instanceof ApplicationFailure)) return { code: 'internal_error', isFinal: false };
  return { code: failure.type ?? 'internal_error', isFinal: failure.nonRetryable === true && failure.type !== 'service_unavailable' };
}

async function attempt(platform: Platform, { process: ref }: OwnStep, writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    platform.log.warn({ process: ref, cause: causeOf(error) }, 'cannot record the trouble of a process');
  }
}
