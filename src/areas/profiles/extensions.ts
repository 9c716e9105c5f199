import { type RawBuilder, sql } from 'kysely';
import { formatVersion } from '../../platform/time/date-time.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';
import { decisionsOn, noDetails, noText, privateNote, type QueueSource, reviewable, versionArg } from '../reviews/index.ts';
import { profileProcess } from './process.ts';
import { findProfile } from './queries.ts';
import type { ReviewPart } from './states.ts';

/**
 * The data or the photos of profiles, each in the order of its own waiting. Uses profiles_queue_index and profiles_photo_queue_index for
 * waiting and profiles_living_index for returned ones.
 */
function queueSourceOf(kind: ReviewPart, column: 'p.status' | 'p.photoStatus', since: 'p.statusSince' | 'p.photoStatusSince'): QueueSource {
  return {
    kind,
    waiting: 'pending',
    canBeReturned: true,
    select: (db, status) =>
      db
        .selectFrom('profiles as p')
        // A literal, not a parameter, so that the planner matches the partial index. Never client input.
        .where(sql<boolean>`${sql.ref(column)} = ${sql.lit(status)}`)
        .select((eb) => [
          sql.lit(kind).as('kind'),
          'p.id',
          eb.ref(column).as('status'),
          'p.name as title',
          eb.ref(since).as('waitingSince'),
          'p.id as profileId',
          'p.ownerId',
          profileFlags('p').as('flags'),
          noText.as('searchText'),
          'p.updatedAt',
          noDetails.as('details'),
        ]),
  };
}

export const profileQueueSource = queueSourceOf('profile', 'p.status', 'p.statusSince');
export const photoQueueSource = queueSourceOf('photo', 'p.photoStatus', 'p.photoStatusSince');

/** Selects the `flags` of a queue item of a profile (PRO-1). @param profile alias of `profiles` */
export function profileFlags(profile: string): RawBuilder<string[]> {
  return sql<string[]>`case when ${sql.ref(`${profile}.duplicateIin`)} then '["duplicate_iin"]'::json else '[]'::json end`;
}

/** Selects the text that a queue search matches: name, IIN, email, certificate numbers. @param profile alias of `profiles`, @param owner of `users` */
export function profileSearchText(profile: string, owner: string): RawBuilder<string> {
  return sql<string>`concat_ws(' ', ${sql.ref(`${profile}.name`)}, ${sql.ref(`${profile}.iin`)}, ${sql.ref(`${owner}.email`)},
    certificates_of(${sql.ref(`${profile}.id`)}))`;
}

/** Lets administrators decide on the data or the photo of a profile, by the profile's id (PRO-2). */
function reviewableOf(part: ReviewPart) {
  return reviewable({
    kind: part,
    body: decisionsOn(part),
    errors: ['file_missing'],
    async find(db, id) {
      const profile = await findProfile(db, id);
      if (profile === null || (part === 'photo' && profile.photoId === null)) return null;
      const { status, reviewNote, photoStatus, photoReviewNote } = profile;
      const seen = { updated_at: formatVersion(profile.updatedAt) };
      return part === 'photo'
        ? { kind: part, id, status: photoStatus, review_note: photoReviewNote, ...seen }
        : { kind: part, id, status, review_note: reviewNote, ...seen };
    },
    review: (platform, { id, decision, note, ...seen }, caller) =>
      sendCommand(platform, profileProcess, id, 'review', {
        caller,
        args: { part, decision, ...versionArg(seen) },
        privateInput: privateNote(note),
      }),
  });
}

export const profileReviewable = reviewableOf('profile');
export const photoReviewable = reviewableOf('photo');

/** Profiles and their photos in the log of changes. */
export const profileChanges: readonly ChangedRecord[] = [
  {
    record: 'profile',
    select: (db) => db.selectFrom('profiles as p').select(['p.id', 'p.status', 'p.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/profiles/${id}`,
  },
  {
    record: 'photo',
    select: (db) =>
      db.selectFrom('profiles as p').select(['p.id', 'p.photoStatus as status', 'p.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/profiles/${id}`,
  },
];
