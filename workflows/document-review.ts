import { correctDocumentUpdate, reviewDocumentUpdate } from './document-review.contract.ts';
import { EntityWorkflow } from './entity-workflow.ts';
import type { RecordInput } from './process.contract.ts';

/** A document's life: it waits for its review, then for the day it expires, and tells every application that stands on it. */
export async function documentReview(input: RecordInput): Promise<void> {
  const workflow = new EntityWorkflow('document', input);
  workflow.onCommand(reviewDocumentUpdate);
  workflow.onCommand(correctDocumentUpdate);
  await workflow.live();
}
