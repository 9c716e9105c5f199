import { correctDocumentUpdate, reviewDocumentUpdate } from './document-review.contract.ts';
import { EntityWorkflow } from './entity-workflow.ts';
import type { RecordInput } from './process.contract.ts';

/** Runs a document's process: waits for its review, then for its expiry, and wakes every application that uses it. */
export async function documentReview(input: RecordInput): Promise<void> {
  const workflow = new EntityWorkflow('document', input);
  workflow.onCommand(reviewDocumentUpdate);
  workflow.onCommand(correctDocumentUpdate);
  await workflow.live();
}
