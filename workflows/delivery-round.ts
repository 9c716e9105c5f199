import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import type { DeliveryRoundInput } from './delivery-round.contract.ts';

const { sendRound } = proxyActivities<Activities>({
  ...bulk,
  // What it does not come to in about two minutes is found by the sweeper, account by account.
  retry: { ...bulk.retry, maximumAttempts: 5 },
  taskQueue: 'messages',
  summary: 'sends what waits for these accounts',
});

/** Sends what waits for some accounts, and ends: whatever is left is then the business of each account's own process. */
export async function deliveryRound({ ids }: DeliveryRoundInput): Promise<void> {
  await sendRound(ids, workflowInfo().workflowId);
}
