import {
  condition,
  continueAsNew,
  isCancellation,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { standard } from './activity-profiles.ts';
import type { OneTimeSecretInput } from './contracts/one-time-secret.contract.ts';
import { searchAttributes } from './contracts/process.contract.ts';
import { pauseAfter, type Trouble, troubleOf } from './failures.ts';

const { expireSecret } = proxyLocalActivities<Activities>({ ...standard, summary: 'closes the secret' });

/**
 * Starts at a secret's expiry (by its start delay) and closes an unused secret. Retries failures with backoff; a newer secret of the same
 * holder replaces the workflow.
 */
export async function oneTimeSecret(input: OneTimeSecretInput): Promise<void> {
  for (let trouble: Trouble | null = null; ;) {
    try {
      await expireSecret(input);
      return;
    } catch (error) {
      if (isCancellation(error)) throw error;
      trouble = troubleOf(error, trouble);
    }
    if (trouble.isOfRecord) {
      setCurrentDetails(`Stuck. Waits for support: ${trouble.words}`);
      upsertSearchAttributes([{ key: searchAttributes.waitingFor, value: 'support' }]);
    }
    await condition(() => workflowInfo().continueAsNewSuggested, pauseAfter(trouble), { summary: 'retry' });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(input);
  }
}
