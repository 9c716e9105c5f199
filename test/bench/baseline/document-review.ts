// Baseline of 2026-11-21, frozen: see index.ts.
import { proxyActivities } from '@temporalio/workflow';
import type { BaselineActivities } from './activities.ts';
import { answering, standard } from './activity-profiles.ts';
import { type DocumentReviewInput, reviewDocumentUpdate } from './document-review.contract.ts';
import { Process } from './process.ts';

const { reviewDocument } = proxyActivities<BaselineActivities>(answering);
const { reconsiderDocument } = proxyActivities<BaselineActivities>(standard);

/** A document's life: it waits for its review, then for the day it expires, and tells every application that stands on it. */
export async function documentReview(input: DocumentReviewInput): Promise<void> {
  const process = new Process(() => reconsiderDocument(input.documentId));
  process.onCommand(reviewDocumentUpdate, (command) => reviewDocument(input.documentId, command));
  await process.live(input);
}
