import { type ChangedRecord, no } from '../changes/index.ts';

/** Documents in the log of changes. */
export const documentChanges: readonly ChangedRecord[] = [
  {
    record: 'document',
    select: (db) =>
      db
        .selectFrom('documents as d')
        .innerJoin('profiles as p', 'p.id', 'd.profileId')
        .select(['d.id', 'd.status', 'p.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/documents/${id}`,
  },
];
