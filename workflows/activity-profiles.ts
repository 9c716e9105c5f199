import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';
import { ActivityCancellationType } from '@temporalio/workflow';

/**
 * Timeouts and retries of activities, as named profiles. `answering` is for callers that wait: seven attempts take about five seconds, so
 * that the caller gets "try again" before their own timeout. It limits attempts, because the SDK ignores `scheduleToCloseTimeout` between
 * two attempts of a local activity.
 */
export const answering = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s', maximumAttempts: 7 },
} satisfies LocalActivityOptions;

/**
 * Local steps that a process takes by itself. They hold its turn, so they end soon; after these attempts the commands get the turn, and the
 * process retries later (`trouble.ts`). Temporal buffers a hundred messages for a held turn and terminates the process at the next one, so
 * a flood would end a turn of seconds.
 */
export const standard = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumAttempts: 4 },
} satisfies LocalActivityOptions;

/** The same for a step that has failed before. */
export const once: LocalActivityOptions = { ...standard, retry: { maximumAttempts: 1 } };

/** External queries that a process makes by itself, in its turn: they end like its own steps. */
export const patient: ActivityOptions = {
  startToCloseTimeout: '8s',
  scheduleToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '2s', maximumAttempts: 5 },
};

/**
 * Files: long, with a heartbeat that detects a dead worker. A failure sets its own retry with jitter (`activities/tried-later.ts`); these
 * intervals apply when the worker died.
 */
export const bulk: ActivityOptions = {
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  // Explicit: by default the SDK continues at once and so does the work, contrary to its documentation.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2s', backoffCoefficient: 3, maximumInterval: '10m' },
};

/** One page of the sweeper's work. It may fail for good: the next sweep takes the same records. */
export const page: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 5 },
};
