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
  /** Long work may have failed in an attempt that this count misses; for other steps a first attempt costs no statement. */
  isLong?: boolean;
}

/**
 * Records a failing step for administrators (`process_troubles`) and clears it on success. A record that cannot be written now is written
 * at the next failure; one that cannot be cleared now is left to the sweeper. A stopping worker is no failure.
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

/** Returns true for a second attempt, or the only one of a process that is already in trouble (`workflows/activity-profiles.ts`). */
function mayHaveFailed(): boolean {
  const { attempt: count, retryPolicy } = Context.current().info;
  return count > 1 || retryPolicy?.maximumAttempts === 1;
}

/** Classified as the process does (`workflows/trouble.ts`). */
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
