import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { answering, standard } from './activity-profiles.ts';
import { reviewDocumentUpdate } from './document-review.contract.ts';
import type { DocumentReviewInput } from './document-review.contract.ts';
import { Process } from './process.ts';

const { reviewDocument } = proxyActivities<Activities>(answering);
const { reconsiderDocument } = proxyActivities<Activities>(standard);

/** A document's life: it waits for its review, then for the day it expires, and tells every application that stands on it. */
export async function documentReview(input: DocumentReviewInput): Promise<void> {
  const process = new Process(() => reconsiderDocument(input.documentId));
  process.onCommand(reviewDocumentUpdate, (command) => reviewDocument(input.documentId, command));
  await process.live(input);
}
