import { ApplicationFailure } from '@temporalio/common';
import { continueAsNew, isCancellation, patched, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { page } from './activity-profiles.ts';
import type { AdoptOrphansInput, SweepPosition, SweepReport, SweepStep } from './adopt-orphans.contract.ts';
import { patches } from './patches.ts';

// A separate queue, so that a sweep takes no slot from commands.
const onOwnQueue = { ...page, taskQueue: 'maintenance' };
const { planSweep } = proxyActivities<Activities>({ ...onOwnQueue, summary: 'plans the sweep' });

/** Wakes due records, starts missing processes and deletes expired data, page by page. Continues in a new run when its history is long. */
export async function adoptOrphans({ position, ...input }: AdoptOrphansInput): Promise<SweepReport> {
  const { steps, driven, failed, ...first } = position ?? begin(await planSweep(input));
  let { cursor, pages } = first;
  for (let step = steps[0]; step !== undefined; step = steps[0]) {
    const { name } = step;
    // A failed step does not block later steps; the end reports it.
    try {
      const { sweepPage } = proxyActivities<Activities>({ ...onOwnQueue, summary: `a page of ${name}` });
      const done = await sweepPage({ ...input, step, cursor });
      driven[name] = (driven[name] ?? 0) + done.driven;
      cursor = done.next;
      pages += 1;
    } catch (error) {
      if (isCancellation(error)) throw error;
      failed.push(name);
      cursor = null;
    }
    if (cursor === null || (step.pages !== null && pages >= step.pages)) {
      steps.shift();
      [cursor, pages] = [null, 0];
    }
    if (workflowInfo().continueAsNewSuggested && steps.length > 0 && patched(patches.sweepGoesOn))
      await continueAsNew<typeof adoptOrphans>({ ...input, position: { steps, cursor, pages, driven, failed } });
  }
  if (failed.length > 0) throw ApplicationFailure.nonRetryable(`these steps failed: ${failed.join(', ')}`, 'internal_error');
  return { driven };
}

function begin(steps: SweepStep[]): SweepPosition {
  return { steps, cursor: null, pages: 0, driven: {}, failed: [] };
}
