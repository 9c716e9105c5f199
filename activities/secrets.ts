import { commit } from '../src/platform/commands/command.ts';
import type { Platform } from '../src/platform/platform.ts';
import { refOf } from '../src/platform/workflows/define-process.ts';
import type { OneTimeSecretInput } from '../workflows/contracts/one-time-secret.contract.ts';
import { answering, ownCaller } from './execute.ts';

/** One-time secrets. */
export function createSecretActivities(platform: Platform) {
  return {
    /** Closes an expired captcha, recovery link, impersonation or bot link. Idempotent. */
    expireSecret: ({ kind, holder }: OneTimeSecretInput): Promise<void> =>
      answering(async () => {
        const timer = platform.definitions.find((definition) => definition.kind === kind);
        if (timer?.type !== 'timer') throw new RangeError(`unknown kind of timer: ${kind}`);
        const ref = refOf(timer, holder);
        await commit(platform, ownCaller(ref), (ctx) => timer.expire(ctx, holder), { own: ref });
      }),
  };
}
