import { reviewProfileUpdate } from '../../workflows/profile-review.contract.ts';
import type { Platform } from '../platform/platform.ts';
import { sendCommand } from '../platform/workflows/send-command.ts';
import { decisionsOn, reviewable, wordsOf } from '../reviews/index.ts';
import type { Reviewable, ReviewBody } from '../reviews/index.ts';
import { profileProcess } from './process.ts';
import { findProfile } from './queries.ts';
import type { ReviewPart } from './states.ts';

/** The data of a profile. */
export const profileReviewable = reviewable({
  kind: 'profile',
  body: decisionsOn('profile'),
  async find(db, id) {
    const profile = await findProfile(db, id);
    return profile && { kind: 'profile', id, status: profile.status, review_note: profile.reviewNote };
  },
  review: (platform, body, options) => review(platform, 'profile', body, options),
});

/** The photo of a profile, by the profile's id. */
export const photoReviewable = reviewable({
  kind: 'photo',
  body: decisionsOn('photo'),
  async find(db, id) {
    const profile = await findProfile(db, id);
    if (profile === null || profile.photoId === null) return null;
    return { kind: 'photo', id, status: profile.photoStatus, review_note: profile.photoReviewNote };
  },
  review: (platform, body, options) => review(platform, 'photo', body, options),
});

function review(
  platform: Platform,
  part: ReviewPart,
  { id, decision, note }: ReviewBody,
  options: Parameters<Reviewable['review']>[2],
): Promise<void> {
  return sendCommand(platform, profileProcess, id, reviewProfileUpdate, { ...options, args: { part, decision }, words: wordsOf(note) });
}
