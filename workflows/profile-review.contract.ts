import { defineUpdate } from '@temporalio/workflow';
import type { ReviewArgs } from './document-review.contract.ts';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** The review of a profile and of its photo; workflow id `profile/{id}`. Runs while either needs a decision or a correction. */

export const submitProfileUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('submit');
export const reviewProfileUpdate = defineUpdate<void, [ProcessCommand<ReviewArgs & { part: 'profile' | 'photo' }>]>('review');
