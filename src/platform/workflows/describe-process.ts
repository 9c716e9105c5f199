import { formatDateTime } from '../date-time.ts';
import type { Platform } from '../platform.ts';
import type { ProcessRef } from '../process-ref.ts';
import type { ProcessState } from './define-process.ts';

/** How a record's process stands, as administrators see it on the record. */
export interface DescribedProcess {
  workflow_id: string;
  /** Status of the workflow; `not_running` when there is none or Temporal cannot be asked. */
  status: string;
  waiting_for: string | null;
  /** When the process looks again by itself, by the clock of the registry. */
  next_timer_at: string | null;
  url: string | null;
}

/**
 * Puts together what Temporal says of a process and what the record says of it: whom it waits for and until when are the
 * record's, so they are right even while Temporal is away. Only that it is stuck is the process's own word.
 */
export async function describeProcess(
  platform: Pick<Platform, 'processes'>,
  ref: ProcessRef,
  state: ProcessState,
  now: Date,
): Promise<DescribedProcess> {
  const described = await platform.processes.describe(ref);
  const isStuck = described?.status === 'running' && described.waiting_for === 'support';
  return {
    workflow_id: ref,
    status: described?.status ?? 'not_running',
    waiting_for: isStuck ? 'support' : state.waitingFor === 'nobody' ? null : state.waitingFor,
    next_timer_at: state.next === null ? null : formatDateTime(state.next.at > now ? state.next.at : now),
    url: described?.url ?? null,
  };
}
