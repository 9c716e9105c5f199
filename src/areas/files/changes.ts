import { type ChangedRecord, no } from '../changes/index.ts';

/** Files in the log of changes. */
export const fileChanges: readonly ChangedRecord[] = [
  {
    record: 'file',
    idType: 'uuid',
    select: (db) => db.selectFrom('files as f').select(['f.id', no.status, 'f.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/files/${id}`,
  },
];
