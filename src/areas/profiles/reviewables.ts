import { type RawBuilder, sql } from 'kysely';
import { reviewProfileUpdate } from '../../../workflows/profile-review.contract.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { decisionsOn, type QueueSource, reviewable, type Reviewable, type ReviewBody, wordsOf } from '../reviews/index.ts';
import { profileProcess } from './process.ts';
import { findProfile } from './queries.ts';
import type { ReviewPart } from './states.ts';

/** Data of profiles, by its status; what waits is read by `profiles_queue_index`, what was returned by `profiles_living_index`. */
export const profileQueueSource: QueueSource = {
  kind: 'profile',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) => selectPart(db, 'profile', 'p.status', status),
};

/** The same of photos. */
export const photoQueueSource: QueueSource = {
  kind: 'photo',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) => selectPart(db, 'photo', 'p.photoStatus', status),
};

/** @param status a word of our own: it stands in the statement itself, so that the planner knows that the index fits */
function selectPart(db: Database, kind: string, column: 'p.status' | 'p.photoStatus', status: string) {
  return db
    .selectFrom('profiles as p')
    .where(sql<boolean>`${sql.ref(column)} = ${sql.lit(status)}`)
    .select((eb) => [
      sql.lit(kind).as('kind'),
      'p.id',
      eb.ref(column).as('status'),
      'p.name as title',
      eb.fn.coalesce('p.submittedAt', 'p.updatedAt').as('waitingSince'),
      'p.id as profileId',
      'p.ownerId',
      profileFlags('p').as('flags'),
      soughtByProfile('p.id').as('sought'),
    ]);
}

/** The `flags` of a queue's item that stands on a profile. @param profile alias of `profiles` */
export function profileFlags(profile: string): RawBuilder<string[]> {
  return sql<string[]>`case when ${sql.ref(`${profile}.duplicateIin`)} then '["duplicate_iin"]'::json else '[]'::json end`;
}

/** What a search looks through, of a queue's item that stands on a profile. @param profile alias of `profiles`, @param owner of `users` */
export function profileSought(profile: string, owner: string): RawBuilder<string> {
  return sql<string>`concat_ws(' ', ${sql.ref(`${profile}.name`)}, ${sql.ref(`${profile}.iin`)}, ${sql.ref(`${owner}.email`)})`;
}

/**
 * The same of what stands on a profile by its id, read for each item by that id: for kinds of which thousands may wait. Of a join the server
 * thinks that it had better read all profiles and accounts there are.
 * @param profileId the column with it
 */
export function soughtByProfile(profileId: string): RawBuilder<string> {
  return sql<string>`(
    select concat_ws(' ', sought.name, sought.iin, holder.email) from profiles sought join users holder on holder.id = sought.owner_id
    where sought.id = ${sql.ref(profileId)})`;
}

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
