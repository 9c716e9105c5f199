import { type ChangedRecord, no } from '../changes/index.ts';

/** Lists and exports of national certificates in the log of changes. */
export const nationalChanges: readonly ChangedRecord[] = [
  {
    record: 'national',
    select: (db) => db.selectFrom('national_exports as e').select(['e.id', 'e.status', no.owner, no.organizer, no.parent]),
    path: ({ id }) => `/admin/national/exports/${id}`,
  },
  { record: 'national_list', path: () => '/admin/national' },
];
