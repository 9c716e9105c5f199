import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { query } from '../src/platform/command.ts';
import { causeOf } from '../src/platform/log.ts';
import type { Platform } from '../src/platform/platform.ts';
import type { ProcessRef } from '../src/platform/process-ref.ts';
import { clearTrouble, noteTrouble, type StepFailure } from '../src/platform/workflows/process-troubles.ts';

/** A step that a process takes by itself. */
interface OwnStep {
  process: ProcessRef;
  step: string;
  /** Long work, which may have failed in an attempt that Temporal does not count with this one; elsewhere a first attempt costs no statement. */
  isLong?: boolean;
}

/**
 * Keeps what administrators see of a step that fails (`process_troubles`), and forgets it when the step succeeds. What cannot be kept now is
 * kept with the next failure; what is not forgotten now the sweeper forgets. Stopping a worker is no failure of what it was at.
 */
export async function watched<T>(platform: Platform, own: OwnStep, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (failure) {
    if (failure instanceof CancelledFailure) throw failure;
    await attempt(
      platform,
      own,
      query(platform, (db, now) => noteTrouble(db, own, failureOf(failure), now)),
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

/** The second attempt of a step, or the single one that a process makes where it is in trouble already (`workflows/activity-profiles.ts`). */
function mayHaveFailed(): boolean {
  const { attempt: count, retryPolicy } = Context.current().info;
  return count > 1 || retryPolicy?.maximumAttempts === 1;
}

/** As the process judges it (`workflows/trouble.ts`). */
function failureOf(failure: unknown): StepFailure {
  if (!(failure instanceof ApplicationFailure)) return { code: 'internal_error', isFinal: false };
  return { code: failure.type ?? 'internal_error', isFinal: failure.nonRetryable === true && failure.type !== 'service_unavailable' };
}

async function attempt(platform: Platform, { process: ref }: OwnStep, writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    platform.log.warn({ process: ref, cause: causeOf(error) }, 'the trouble of a process could not be noted');
  }
}
