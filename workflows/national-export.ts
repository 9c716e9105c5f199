import { ApplicationFailure } from '@temporalio/common';
import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import { EntityWorkflow, unlessBeginningNewRun } from './entity-workflow.ts';
import { nationalExportUpdate } from './national-export.contract.ts';
import type { RecordInput } from './process.contract.ts';

// Files of hundreds of megabytes have a queue of their own, so that they never delay a command, and time for storing.
const { buildNationalExport } = proxyActivities<Activities>({
  ...bulk,
  startToCloseTimeout: '30m',
  taskQueue: 'exports',
  summary: 'makes the file',
});

/** Runs an export's process: makes its file, keeps it for its time, and deletes it. */
export async function nationalExport(input: RecordInput): Promise<void> {
  let hasEnded = false;
  const build = async () => {
    await buildNationalExport(input.id);
    workflow.wake();
    hasEnded = true;
  };
  const workflow = new EntityWorkflow('national-export', input, {
    settle: (view) => {
      if (view.stage === 'pending') return build;
      hasEnded = true;
      return null;
    },
  });
  setHandler(
    nationalExportUpdate,
    async ({ requestId }) => {
      await condition(() => hasEnded || workflow.settlingProblem !== null, '8s', { summary: 'somebody waits for the file' });
      workflow.showRequest(requestId);
      if (hasEnded || workflow.settlingProblem === null) return;
      const { code, words } = workflow.settlingProblem;
      throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
    },
    unlessBeginningNewRun,
  );
  await workflow.live();
}
