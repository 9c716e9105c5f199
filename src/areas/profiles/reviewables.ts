import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { decisionsOn, type QueueSource, reviewable, type Reviewable, type ReviewBody, wordsOf } from '../reviews/index.ts';
import { profileProcess } from './process.ts';
import { findProfile } from './queries.ts';
import type { ReviewPart } from './states.ts';

/** Profile data by status. Uses profiles_queue_index for waiting and profiles_living_index for returned ones. */
export const profileQueueSource: QueueSource = {
  kind: 'profile',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) => selectPart(db, 'profile', 'p.status', status),
};

/** Photos by status, with the same indexes. */
export const photoQueueSource: QueueSource = {
  kind: 'photo',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) => selectPart(db, 'photo', 'p.photoStatus', status),
};

/** @param status never client input: it is a literal, not a parameter, so that the planner matches the partial index */
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

/** Selects the `flags` of a queue item of a profile (PRO-1). @param profile alias of `profiles` */
export function profileFlags(profile: string): RawBuilder<string[]> {
  return sql<string[]>`case when ${sql.ref(`${profile}.duplicateIin`)} then '["duplicate_iin"]'::json else '[]'::json end`;
}

/** Selects the text that a queue search matches: name, IIN, email. @param profile alias of `profiles`, @param owner of `users` */
export function profileSought(profile: string, owner: string): RawBuilder<string> {
  return sql<string>`concat_ws(' ', ${sql.ref(`${profile}.name`)}, ${sql.ref(`${profile}.iin`)}, ${sql.ref(`${owner}.email`)})`;
}

/**
 * Selects the same text by a subquery for each item, for kinds with thousands of waiting items. With a join the planner would
 * scan all profiles and accounts.
 * @param profileId the column with the profile's id
 */
export function soughtByProfile(profileId: string): RawBuilder<string> {
  return sql<string>`(
    select concat_ws(' ', sought.name, sought.iin, holder.email) from profiles sought join users holder on holder.id = sought.owner_id
    where sought.id = ${sql.ref(profileId)})`;
}

/** Lets administrators decide on the data of a profile (PRO-2). */
export const profileReviewable = reviewable({
  kind: 'profile',
  body: decisionsOn('profile'),
  async find(db, id) {
    const profile = await findProfile(db, id);
    return profile && { kind: 'profile', id, status: profile.status, review_note: profile.reviewNote };
  },
  review: (platform, body, options) => review(platform, 'profile', body, options),
});

/** Lets administrators decide on the photo, by the profile's id (PRO-2). */
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
  return sendCommand(platform, profileProcess, id, 'review', { ...options, args: { part, decision }, words: wordsOf(note) });
}
