import { expireSecret } from '../src/accounts/index.ts';
import { commit } from '../src/platform/command.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import type { OneTimeSecretInput } from '../workflows/one-time-secret.contract.ts';
import { asFailure } from './errors.ts';
import { ownCaller } from './take-step.ts';

/** Steps of one-time secrets. */
export function createAccountActivities(platform: Platform) {
  return {
    /** Closes the holder's open captcha or recovery link, if its time is over by the clock; twice is as good as once. */
    async expireSecret(input: OneTimeSecretInput): Promise<void> {
      try {
        await commit(platform, ownCaller(processRef(input.kind, input.holder)), (ctx) => expireSecret(ctx, input));
      } catch (error) {
        throw asFailure(error);
      }
    },
  };
}
