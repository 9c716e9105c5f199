import { formatDateTime } from '../time/date-time.ts';
import type { Platform } from '../platform.ts';
import { partyOf, type RecordProcess, refOf } from './define-process.ts';

/** State of a record's process for administrators. */
export interface DescribedProcess {
  workflow_id: string;
  /** Status of the workflow; `not_running` without one or without Temporal. */
  status: string;
  waiting_for: string | null;
  /** Time of the next own step, by the domain clock. */
  next_timer_at: string | null;
  url: string | null;
}

/**
 * Combines the state of a process from Temporal and its record. What it waits for comes from the record, so it is correct without Temporal;
 * only "stuck" comes from the process.
 */
export async function describeProcess<Row extends { id: number }>(
  platform: Pick<Platform, 'processes'>,
  definition: Pick<RecordProcess<Row>, 'kind' | 'describe'>,
  row: Row,
  now: Date,
): Promise<DescribedProcess> {
  const ref = refOf(definition, row.id);
  const state = definition.describe(row, now);
  const described = await platform.processes.describe(ref);
  const isStuck = described?.status === 'running' && described.waiting_for === 'support';
  return {
    workflow_id: ref,
    status: described?.status ?? 'not_running',
    waiting_for: isStuck ? 'support' : partyOf(state),
    next_timer_at: state.next === null ? null : formatDateTime(state.next.at > now ? state.next.at : now),
    url: described?.url ?? null,
  };
}
