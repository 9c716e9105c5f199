import { z } from 'zod';
import type { ReviewArgs } from '../workflows/document-review.contract.ts';
import type { ProcessCommand, ProcessView } from '../workflows/process.contract.ts';
import { expireDocument } from '../src/documents/expire-document.ts';
import { viewDocument, viewDocumentUnlessDue } from '../src/documents/process-view.ts';
import { reviewDocument } from '../src/documents/review-document.ts';
import type { Platform } from '../src/platform/platform.ts';
import { readPrivateInput } from '../src/platform/private-inputs.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { look, takeOwnStep, takeStep } from './take-step.ts';

const privateNote = z.object({ note: z.string() });

/** Steps of a document's process. */
export function createDocumentActivities(platform: Platform) {
  return {
    /** Puts an administrator's decision into effect, once for each command. */
    async reviewDocument(documentId: number, command: ProcessCommand<ReviewArgs>): Promise<ProcessView> {
      const { decision, privateInputId } = command.args;
      return takeStep(
        platform,
        processRef('document', documentId),
        command,
        async (ctx) => {
          const note = privateInputId === null ? null : (await readPrivateInput(ctx, privateInputId, privateNote)).note;
          await reviewDocument(ctx, documentId, { decision, note });
        },
        (ctx) => viewDocument(ctx, documentId),
      );
    },

    /** Marks the document expired when its last day has passed, and says how it stands. */
    async reconsiderDocument(documentId: number): Promise<ProcessView> {
      const undisturbed = await look(platform, (ctx) => viewDocumentUnlessDue(ctx, documentId));
      if (undisturbed) return undisturbed;
      return takeOwnStep(
        platform,
        processRef('document', documentId),
        async (ctx) => void (await expireDocument(ctx, documentId)),
        (ctx) => viewDocument(ctx, documentId),
      );
    },
  };
}
