import { type ChangedRecord, no } from '../changes/index.ts';

/** Profiles and their photos in the log of changes. */
export const profileChanges: readonly ChangedRecord[] = [
  {
    record: 'profile',
    select: (db) => db.selectFrom('profiles as p').select(['p.id', 'p.status', 'p.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/profiles/${id}`,
  },
  {
    record: 'photo',
    select: (db) => db.selectFrom('profiles as p').select(['p.id', 'p.photoStatus as status', 'p.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/profiles/${id}`,
  },
];
