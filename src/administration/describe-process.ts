import { z } from 'zod';
import type { ProcessView } from '../../workflows/process.contract.ts';
import { dateTimeOut } from '../http/schemas.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { Platform } from '../platform/platform.ts';
import type { ProcessRef } from '../platform/process-ref.ts';

/** How a record's process stands, for administrators (decisions.md §9). */
export const processShape = z
  .object({
    workflow_id: z.string(),
    status: z.string().meta({ description: 'Status of the workflow; `not_running` when there is none or the engine cannot be asked' }),
    waiting_for: z.string().nullable(),
    next_timer_at: dateTimeOut.nullable().meta({ description: 'When the process looks again by itself, by the clock of the registry' }),
    url: z.string().nullable().meta({ description: 'The page of the workflow in the workflow UI' }),
  })
  .meta({ id: 'Process' });

/**
 * Puts together what the engine says of a process and what the record says of it: whom it waits for and until when are the
 * record's, so they are right even while the engine is away.
 */
export async function describeProcess(
  platform: Pick<Platform, 'processes'>,
  process: ProcessRef,
  view: ProcessView,
  now: Date,
): Promise<z.input<typeof processShape>> {
  const described = await platform.processes.describe(process);
  return {
    workflow_id: process,
    status: described?.status ?? 'not_running',
    waiting_for: view.waitingFor === 'nobody' ? null : view.waitingFor,
    next_timer_at: view.wakeAfterMs === null ? null : formatDateTime(new Date(now.getTime() + view.wakeAfterMs)),
    url: described?.url ?? null,
  };
}
