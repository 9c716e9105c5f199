import { ApplicationFailure } from '@temporalio/common';
import { condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import { recordWorkflow } from './record-workflow.ts';
import { statusListContract } from './status-list.contract.ts';

const { makeStatusList } = proxyActivities<Activities>({ ...bulk, taskQueue: 'certificates', summary: 'makes the edition' });

/** Runs a status list's process: makes an edition whenever one is due. */
export const statusList = recordWorkflow(statusListContract, (process, id) => {
  let isMaking = false;
  const make = async () => {
    isMaking = true;
    try {
      await makeStatusList(id);
    } finally {
      isMaking = false;
    }
    // Reads the list again: facts may have changed meanwhile.
    process.wake();
  };
  return {
    longWork: {
      settle: (view) => (view.stage === 'due' ? make : null),
      async answer(requestId) {
        process.wake(requestId);
        await condition(() => !isMaking, '8s', { summary: 'a caller waits for the edition' });
        process.showRequest(requestId);
        if (process.settlingProblem === null) return;
        const { code, words } = process.settlingProblem;
        throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
      },
    },
  };
});
