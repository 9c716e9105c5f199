import { EntityWorkflow } from './entity-workflow.ts';
import type { RecordInput } from './process.contract.ts';
import { reviewProfileUpdate, submitProfileUpdate } from './profile-review.contract.ts';

/** Runs a profile's review while the data or the photo waits for an administrator or for the owner's correction. */
export async function profileReview(input: RecordInput): Promise<void> {
  const workflow = new EntityWorkflow('profile', input);
  workflow.onCommand(submitProfileUpdate);
  workflow.onCommand(reviewProfileUpdate);
  await workflow.live();
}
