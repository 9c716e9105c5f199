import { z } from 'zod';
import type { ReviewArgs } from '../workflows/document-review.contract.ts';
import type { ProcessCommand, ProcessView } from '../workflows/process.contract.ts';
import type { Platform } from '../src/platform/platform.ts';
import { readPrivateInput } from '../src/platform/private-inputs.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { viewProfile } from '../src/profiles/process-view.ts';
import { reviewProfile } from '../src/profiles/review-profile.ts';
import { submitProfile } from '../src/profiles/submit-profile.ts';
import { look, takeStep } from './take-step.ts';

const privateNote = z.object({ note: z.string() });

/** Steps of a profile's process. */
export function createProfileActivities(platform: Platform) {
  return {
    /** Puts a profile before an administrator, once for each command. */
    async submitProfile(profileId: number, command: ProcessCommand<Record<string, never>>): Promise<ProcessView> {
      const process = processRef('profile', profileId);
      return takeStep(
        platform,
        process,
        command,
        (ctx) => submitProfile(ctx, profileId),
        (ctx) => viewProfile(ctx, profileId),
      );
    },

    /** Puts an administrator's decision on the data or the photo into effect, once for each command. */
    async reviewProfile(profileId: number, command: ProcessCommand<ReviewArgs & { part: 'profile' | 'photo' }>): Promise<ProcessView> {
      const { part, decision, privateInputId } = command.args;
      return takeStep(
        platform,
        processRef('profile', profileId),
        command,
        async (ctx) => {
          const note = privateInputId === null ? null : (await readPrivateInput(ctx, privateInputId, privateNote)).note;
          await reviewProfile(ctx, profileId, { part, decision, note });
        },
        (ctx) => viewProfile(ctx, profileId),
      );
    },

    /** Says how a profile stands; no date moves it. */
    async reconsiderProfile(profileId: number): Promise<ProcessView> {
      return look(platform, (ctx) => viewProfile(ctx, profileId));
    },
  };
}
