// Baseline of 2026-11-21, frozen: see index.ts.
import type { ActivityOptions } from '@temporalio/common';

/**
 * How long work may take and how it is tried again; three profiles instead of numbers here and there. Whoever waits for an answer uses
 * `answering`: it gives up in time to say "try again" while the caller still listens.
 */
export const answering: ActivityOptions = {
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
};

/** Steps a process takes by itself: tried until they succeed. */
export const standard: ActivityOptions = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
};

/** Files and sweeps: long, with a heartbeat that tells a dead worker from a busy one. */
export const bulk: ActivityOptions = {
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
};
