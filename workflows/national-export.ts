import { ApplicationFailure } from '@temporalio/common';
import { condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import { nationalExportContract } from './national-export.contract.ts';
import { recordWorkflow } from './record-workflow.ts';

// Files of hundreds of megabytes have a queue of their own, so that they never delay a command, and time for storing.
const { buildNationalExport } = proxyActivities<Activities>({
  ...bulk,
  startToCloseTimeout: '30m',
  taskQueue: 'exports',
  summary: 'makes the file',
});

/** Runs an export's process: makes its file, keeps it for its time, and deletes it. */
export const nationalExport = recordWorkflow(nationalExportContract, (process, id) => {
  let hasEnded = false;
  const build = async () => {
    await buildNationalExport(id);
    process.wake();
    hasEnded = true;
  };
  return {
    longWork: {
      settle(view) {
        if (view.stage === 'pending') return build;
        hasEnded = true;
        return null;
      },
      async answer(requestId) {
        await condition(() => hasEnded || process.settlingProblem !== null, '8s', { summary: 'a caller waits for the file' });
        process.showRequest(requestId);
        if (hasEnded || process.settlingProblem === null) return;
        const { code, words } = process.settlingProblem;
        throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
      },
    },
  };
});
