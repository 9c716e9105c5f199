import { ApplicationFailure } from '@temporalio/common';
import { condition, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import { deliveryContract } from './notification-delivery.contract.ts';
import { recordWorkflow } from './record-workflow.ts';
import { type Trouble, troubleOf } from './trouble.ts';

// A slow mail server delays only notifications.
const { sendNotifications } = proxyActivities<Activities>({ ...bulk, taskQueue: 'messages', summary: 'sends what waits' });

/**
 * Runs an account's delivery after a round, until nothing waits (NOT-4). A timer retries; the record holds the time of the next attempt.
 */
export const notificationDelivery = recordWorkflow(deliveryContract, (process, id) => {
  let isAsked = false;
  let rounds = 0;
  let problem: Trouble | null = null;
  const send = async (wanted: { isAsked: boolean }) => {
    try {
      await sendNotifications(id, wanted);
    } catch (error) {
      if (isCancellation(error)) throw error;
      problem = troubleOf(error, null);
      throw error;
    } finally {
      rounds += 1;
      process.wake();
    }
  };
  return {
    longWork: {
      settle(view) {
        if (!view.isDue && !isAsked) return null;
        const wanted = { isAsked };
        isAsked = false;
        problem = null;
        if (!view.isOver) return () => send(wanted);
        rounds += 1;
        return null;
      },
      async answer(requestId) {
        const before = rounds;
        isAsked = true;
        process.wake(requestId);
        await condition(() => rounds > before, '8s', { summary: 'a caller waits for what is sent' });
        if (rounds > before && problem !== null)
          throw ApplicationFailure.create({ message: problem.words, type: problem.code, nonRetryable: true });
      },
    },
  };
});
