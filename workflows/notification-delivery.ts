import { ApplicationFailure } from '@temporalio/common';
import { condition, isCancellation, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import { EntityWorkflow, unlessBeginningNewRun } from './entity-workflow.ts';
import { deliveryUpdate } from './notification-delivery.contract.ts';
import type { RecordInput } from './process.contract.ts';
import { type Trouble, troubleOf } from './trouble.ts';

// A slow mail server delays only notifications.
const { sendNotifications } = proxyActivities<Activities>({ ...bulk, taskQueue: 'messages', summary: 'sends what waits' });

/**
 * Runs an account's delivery after a round, until nothing waits (NOT-4). A timer retries; the record holds the time of the next attempt.
 */
export async function notificationDelivery(input: RecordInput): Promise<void> {
  let isAsked = false;
  let rounds = 0;
  let problem: Trouble | null = null;
  const send = async (wanted: { isAsked: boolean }) => {
    try {
      await sendNotifications(input.id, wanted);
    } catch (error) {
      if (isCancellation(error)) throw error;
      problem = troubleOf(error, null);
      throw error;
    } finally {
      rounds += 1;
      workflow.wake();
    }
  };
  const workflow = new EntityWorkflow('delivery', input, {
    settle: (view) => {
      if (!view.isDue && !isAsked) return null;
      const wanted = { isAsked };
      isAsked = false;
      problem = null;
      if (!view.isOver) return () => send(wanted);
      rounds += 1;
      return null;
    },
  });
  setHandler(
    deliveryUpdate,
    async ({ requestId }) => {
      const before = rounds;
      isAsked = true;
      workflow.wake(requestId);
      await condition(() => rounds > before, '8s', { summary: 'somebody waits for what is sent' });
      if (rounds > before && problem !== null)
        throw ApplicationFailure.create({ message: problem.words, type: problem.code, nonRetryable: true });
    },
    unlessBeginningNewRun,
  );
  await workflow.live();
}
