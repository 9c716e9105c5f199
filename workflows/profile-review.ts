import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { answering, standard } from './activity-profiles.ts';
import { Process } from './process.ts';
import { reviewProfileUpdate, submitProfileUpdate } from './profile-review.contract.ts';
import type { ProfileReviewInput } from './profile-review.contract.ts';

const { submitProfile, reviewProfile } = proxyActivities<Activities>(answering);
const { reconsiderProfile } = proxyActivities<Activities>(standard);

/** The review of a profile: it runs while the data or the photo waits for an administrator or for the owner's correction. */
export async function profileReview(input: ProfileReviewInput): Promise<void> {
  const process = new Process(() => reconsiderProfile(input.profileId));
  process.onCommand(submitProfileUpdate, (command) => submitProfile(input.profileId, command));
  process.onCommand(reviewProfileUpdate, (command) => reviewProfile(input.profileId, command));
  await process.live(input);
}
