import { makeAgreement } from '../src/agreements/index.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { ownCaller } from './execute.ts';
import { heartbeating } from './heartbeating.ts';
import { triedLater } from './tried-later.ts';

/** Agreements as files. */
export function createAgreementActivities(platform: Platform) {
  return {
    /** Draws and stores an agreement's PDF, or restores it. One that its record makes impossible fails for good: `cannot_be_made`. */
    makeAgreement: (id: number): Promise<void> =>
      triedLater(() => heartbeating(() => makeAgreement(platform, ownCaller(processRef('agreement', id)), id))),
  };
}
