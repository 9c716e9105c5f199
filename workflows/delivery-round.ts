import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import type { DeliveryRoundInput } from './delivery-round.contract.ts';

const { sendRound } = proxyActivities<Activities>({
  ...bulk,
  // The sweeper finds what remains after about two minutes, account by account.
  retry: { ...bulk.retry, maximumAttempts: 5 },
  taskQueue: 'messages',
  summary: 'sends what waits for these accounts',
});

/** Sends what waits for some accounts, and ends; the rest is left to each account's own process. */
export async function deliveryRound({ ids }: DeliveryRoundInput): Promise<void> {
  await sendRound(ids, workflowInfo().workflowId);
}
