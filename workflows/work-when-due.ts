import { ApplicationFailure } from '@temporalio/common';
import { condition } from '@temporalio/workflow';
import type { EntityWorkflow, LongWork } from './entity-workflow.ts';

/**
 * Long work that runs whenever its record is due.
 * @param work idempotent; afterwards the record is read again, because facts may have changed meanwhile
 * @param summary of the wait of a caller, for the Temporal UI
 */
export function workWhenDue(work: (id: number) => Promise<void>, summary: string) {
  return (process: EntityWorkflow, id: number): { longWork: LongWork } => {
    let isWorking = false;
    const workOnce = async () => {
      isWorking = true;
      try {
        await work(id);
      } finally {
        isWorking = false;
      }
      process.wake();
    };
    return {
      longWork: {
        settle: (view) => (view.stage === 'due' ? workOnce : null),
        async answer(requestId) {
          process.wake(requestId);
          await condition(() => !isWorking, '8s', { summary });
          process.showRequest(requestId);
          if (process.settlingProblem === null) return;
          const { code, words } = process.settlingProblem;
          throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
        },
      },
    };
  };
}
