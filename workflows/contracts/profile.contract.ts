import type { ReviewArgs } from './document.contract.ts';
import { command, defineContract } from './process.contract.ts';

/** The review of a profile and of its photo; workflow id `profile/{id}`. Runs while either needs a decision or a correction. */
export const profileContract = defineContract({
  kind: 'profile',
  workflow: 'profileReview',
  queue: 'documents',
  commands: { submit: command(), review: command<ReviewArgs & { part: 'profile' | 'photo' }>() },
});
