import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';
import { ActivityCancellationType } from '@temporalio/workflow';

/**
 * How long work may take and how it is tried again; named profiles instead of numbers here and there (engine.md §4).
 * Whoever waits for an answer uses `answering`: seven tries take about five seconds, so that it gives up in time to say "try again" while
 * the caller still listens. Attempts are counted, since the SDK does not look at `scheduleToCloseTimeout` in the pause between two tries of a local step.
 */
export const answering = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s', maximumAttempts: 7 },
} satisfies LocalActivityOptions;

/**
 * Local steps that a process takes by itself. They hold its turn, so they end soon: what fails this often leaves the turn to the commands,
 * and the process tries again after a pause that grows (`trouble.ts`). Temporal keeps a hundred messages for a turn that is held and
 * ends it by force at the next, so a turn of seconds would fall to a flood of them.
 */
export const standard = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumAttempts: 4 },
} satisfies LocalActivityOptions;

/** The same for a step that has failed before. */
export const once: LocalActivityOptions = { ...standard, retry: { maximumAttempts: 1 } };

/** Questions to the world outside that a process asks by itself, in its turn: they end like its own steps. */
export const patient: ActivityOptions = {
  startToCloseTimeout: '8s',
  scheduleToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '2s', maximumAttempts: 5 },
};

/**
 * Files: long, with a heartbeat that tells a dead worker from a busy one. Whatever fails says itself when it is to be tried again, spread
 * by chance (`activities/tried-later.ts`); these intervals are for a worker that died with it.
 */
export const bulk: ActivityOptions = {
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  // Said outright: where nothing is said the SDK goes on at once, and the work with it, whatever its documentation says.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2s', backoffCoefficient: 3, maximumInterval: '10m' },
};

/** One page of the sweeper's work. It may fail for good: the next sweep meets the same records. */
export const page: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 5 },
};
