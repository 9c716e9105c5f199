import { ApplicationFailure } from '@temporalio/common';
import { continueAsNew, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { page } from './activity-profiles.ts';
import type { SweepInput, SweepPosition, SweepReport } from './contracts/sweep.contract.ts';

// A separate queue, so that a sweep takes no slot from commands.
const { sweepOn } = proxyActivities<Activities>({ ...page, taskQueue: 'maintenance', summary: 'sweeps for up to 45 seconds' });

/** Wakes due records and deletes expired data, as many pages in one activity as it has time for. A long history continues in a new run. */
export async function sweep({ position = null, ...input }: SweepInput): Promise<SweepReport> {
  let reached: SweepPosition | null = position;
  let isCareful = false;
  while (reached === null || reached.steps.length > 0) {
    if (reached !== null && workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sweep>({ ...input, position: reached });
    try {
      reached = await sweepOn({ ...input, position: reached, isCareful });
      isCareful = false;
    } catch (error) {
      if (isCancellation(error)) throw error;
      // A page that ends its worker says nothing about its step. Page by page, the step that fails is the first one, and the others go on.
      if (isCareful) reached = withoutFirst(reached, error);
      isCareful = !isCareful;
    }
  }
  const { driven, failed } = reached;
  if (failed.length > 0) throw ApplicationFailure.nonRetryable(`these steps failed: ${failed.join(', ')}`, 'internal_error');
  return { driven };
}

function withoutFirst(position: SweepPosition | null, error: unknown): SweepPosition {
  const [first, ...steps] = position?.steps ?? [];
  if (position === null || first === undefined) throw error;
  return { ...position, steps, cursor: null, pages: 0, failed: [...position.failed, first.name] };
}
