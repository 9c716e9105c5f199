import { ApplicationFailure } from '@temporalio/common';
import { condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import { nationalExportContract } from './contracts/national-export.contract.ts';
import { recordWorkflow } from './record-workflow.ts';

// Large files have a separate queue, so that they do not delay commands, and more time.
const { buildNationalExport } = proxyActivities<Activities>({
  ...bulk,
  startToCloseTimeout: '30m',
  taskQueue: 'exports',
  summary: 'generates the file',
});

/** Runs an export's process: generates its file, keeps it for its lifetime, and deletes it. */
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
