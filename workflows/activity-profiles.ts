import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';
import { ActivityCancellationType } from '@temporalio/workflow';

/**
 * Timeouts and retries of activities, as named profiles. `answering` is for waiting callers: seven attempts take about five seconds, less
 * than the caller's timeout. It limits attempts, because the SDK ignores `scheduleToCloseTimeout` between attempts of a local activity.
 */
export const answering = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s', maximumAttempts: 7 },
} satisfies LocalActivityOptions;

/**
 * Own local steps of a process. They must end soon, because they block commands; the process retries later (`trouble.ts`). During a long
 * turn, Temporal buffers a hundred messages and then fails the workflow task.
 */
export const standard = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumAttempts: 4 },
} satisfies LocalActivityOptions;

/** The same for a step that has failed before. */
export const once: LocalActivityOptions = { ...standard, retry: { maximumAttempts: 1 } };

/** External queries within a turn; they end as soon as own steps. */
export const patient: ActivityOptions = {
  startToCloseTimeout: '8s',
  scheduleToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '2s', maximumAttempts: 5 },
};

/**
 * Files: long, with a heartbeat that detects a dead worker. A failure sets its own retry with jitter (`activities/retry-later.ts`); these
 * intervals apply after a worker's crash.
 */
export const bulk: ActivityOptions = {
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  // Required: the SDK's default does not wait for the cancellation, contrary to its documentation.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/** One page of the sweeper's work. After a final failure the next sweep takes the same records. */
export const page: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 5 },
};
