import { sql } from 'kysely';
import { profileFlags, soughtByProfile } from '../profiles/index.ts';
import type { QueueSource } from '../reviews/index.ts';

/** Documents by their status; what waits is read by `documents_queue_index`, what was returned by `documents_returned_index`. */
export const documentQueueSource: QueueSource = {
  kind: 'document',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('documents as d')
      .leftJoin('profiles as p', 'p.id', 'd.profileId')
      // A word of our own: it stands in the statement itself, so that the planner knows that the index fits.
      .where(sql<boolean>`${sql.ref('d.status')} = ${sql.lit(status)}`)
      .select([
        sql.lit('document').as('kind'),
        'd.id',
        'd.status',
        sql<string>`${sql.ref('d.type')} || ': ' || ${sql.ref('p.name')}`.as('title'),
        'd.updatedAt as waitingSince',
        'p.id as profileId',
        'p.ownerId',
        profileFlags('p').as('flags'),
        soughtByProfile('d.profileId').as('sought'),
      ]),
};
