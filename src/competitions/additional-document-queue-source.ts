import { sql } from 'kysely';
import { profileFlags, profileSought } from '../profiles/index.ts';
import type { QueueSource } from '../reviews/index.ts';

/** Additional documents of events by their status, those of cancelled events aside; what waits is read by `additional_documents_queue_index`. */
export const additionalDocumentQueueSource: QueueSource = {
  kind: 'additional_document',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('additional_documents as d')
      .innerJoin('events as e', 'e.id', 'd.eventId')
      .innerJoin('profiles as p', 'p.id', 'e.profileId')
      .innerJoin('users as u', 'u.id', 'e.ownerId')
      // A word of our own: it stands in the statement itself, so that the planner knows that the index fits.
      .where(sql<boolean>`${sql.ref('d.status')} = ${sql.lit(status)}`)
      .where('e.status', '<>', 'cancelled')
      .select([
        sql.lit('additional_document').as('kind'),
        'd.id',
        'd.status',
        sql<string>`${sql.ref('d.kind')} || ': ' || ${sql.ref('d.title')} || ' (' || ${sql.ref('e.title')} || ')'`.as('title'),
        'd.updatedAt as waitingSince',
        'p.id as profileId',
        'e.ownerId',
        profileFlags('p').as('flags'),
        sql<string>`concat_ws(' ', ${sql.ref('d.title')}, ${sql.ref('e.title')}, ${profileSought('p', 'u')})`.as('sought'),
      ]),
};
