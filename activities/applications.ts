import { z } from 'zod';
import type { ReviewApplicationArgs } from '../workflows/application-lifecycle.contract.ts';
import type { ProcessCommand, ProcessView } from '../workflows/process.contract.ts';
import { cancelApplication } from '../src/applications/cancel-application.ts';
import { makeCertificate } from '../src/applications/make-certificate.ts';
import { payApplication } from '../src/applications/pay-application.ts';
import { viewApplication, viewApplicationUnlessDue } from '../src/applications/process-view.ts';
import { reconsiderApplication } from '../src/applications/reconsider-application.ts';
import { reviewApplication } from '../src/applications/review-application.ts';
import { submitApplication } from '../src/applications/submit-application.ts';
import type { Platform } from '../src/platform/platform.ts';
import { readPrivateInput } from '../src/platform/private-inputs.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { asFailure } from './errors.ts';
import { heartbeating } from './heartbeating.ts';
import { look, ownCaller, takeOwnStep, takeStep } from './take-step.ts';

const privateNote = z.object({ note: z.string() });
const privateReason = z.object({ reason: z.string() });
type NoArgs = Record<string, never>;

/** The steps of an application's process (decisions.md §4); each in effect once, however often it runs. */
export function createApplicationActivities(platform: Platform) {
  const refOf = (id: number) => processRef('application', id);
  return {
    submitApplication(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView> {
      return takeStep(
        platform,
        refOf(id),
        command,
        (ctx) => submitApplication(ctx, id),
        (ctx, record) => viewApplication(ctx, id, record),
      );
    },

    payApplication(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView> {
      return takeStep(
        platform,
        refOf(id),
        command,
        (ctx) => payApplication(ctx, id),
        (ctx, record) => viewApplication(ctx, id, record),
      );
    },

    reviewApplication(id: number, command: ProcessCommand<ReviewApplicationArgs>): Promise<ProcessView> {
      const { privateInputId, ...review } = command.args;
      return takeStep(
        platform,
        refOf(id),
        command,
        async (ctx) => {
          const note = privateInputId === null ? null : (await readPrivateInput(ctx, privateInputId, privateNote)).note;
          await reviewApplication(ctx, { id, ...review, note });
        },
        (ctx) => viewApplication(ctx, id),
      );
    },

    cancelApplication(id: number, command: ProcessCommand<{ privateInputId: string }>): Promise<ProcessView> {
      return takeStep(
        platform,
        refOf(id),
        command,
        async (ctx) => {
          const { reason } = await readPrivateInput(ctx, command.args.privateInputId, privateReason);
          await cancelApplication(ctx, { id, reason });
        },
        (ctx) => viewApplication(ctx, id),
      );
    },

    /** What the process does by itself: closes, takes back, approves. */
    async reconsiderApplication(id: number): Promise<ProcessView> {
      const undisturbed = await look(platform, (ctx) => viewApplicationUnlessDue(ctx, id));
      if (undisturbed) return undisturbed;
      return takeOwnStep(
        platform,
        refOf(id),
        (ctx) => reconsiderApplication(ctx, id),
        (ctx) => viewApplication(ctx, id),
      );
    },

    /** Draws and stores the certificate's PDF. */
    async makeCertificate(id: number): Promise<void> {
      try {
        await heartbeating(() => makeCertificate(platform, ownCaller(refOf(id)), id));
      } catch (error) {
        throw asFailure(error);
      }
    },
  };
}
