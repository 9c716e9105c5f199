import { Context } from '@temporalio/activity';

/** Shorter than the `heartbeatTimeout` of the profile `bulk`. */
const pauseMs = 5_000;

/**
 * Runs long work with a heartbeat every few seconds. Short work does not need it: each heartbeat costs a write.
 * @param work receives a signal that aborts when the work is cancelled or the worker stops
 */
export async function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), pauseMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
