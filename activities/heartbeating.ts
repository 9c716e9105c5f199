import { Context } from '@temporalio/activity';

/** Well within the `heartbeatTimeout` of the profile `bulk`. */
const pauseMs = 5_000;

/**
 * Runs long work with a heartbeat every few seconds. Short work sends none: each heartbeat costs Temporal a write.
 * @param work gets a signal that aborts when the work is cancelled or this worker stops
 */
export async function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const pulse = setInterval(() => context.heartbeat(), pauseMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(pulse);
  }
}
