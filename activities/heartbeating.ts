import { Context } from '@temporalio/activity';

/** Well within the `heartbeatTimeout` of the profile `bulk`. */
const pauseMs = 5_000;

/**
 * Runs long work and tells Temporal every few seconds that this worker lives. Work that is over sooner tells nothing: each
 * heartbeat costs Temporal a write.
 * @param work told by its signal when nobody waits for it any more, or this worker is about to stop
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
