import { type ChangedRecord, no } from '../changes/index.ts';

/** Applications in the log of changes. */
export const applicationChanges: readonly ChangedRecord[] = [
  {
    record: 'application',
    select: (db) => db.selectFrom('applications as a').select(['a.id', 'a.status', 'a.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/applications/${id}`,
  },
];
