import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { standard } from './activity-profiles.ts';
import type { OneTimeSecretInput } from './one-time-secret.contract.ts';

const { expireSecret } = proxyActivities<Activities>(standard);

/** Starts when a secret's time is over (by its start delay) and closes the secret, if nobody used it before. */
export async function oneTimeSecret(input: OneTimeSecretInput): Promise<void> {
  await expireSecret(input);
}
