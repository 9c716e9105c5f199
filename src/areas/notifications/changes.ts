import { type ChangedRecord, no } from '../changes/index.ts';

/** The preferences of an account in the log of changes. */
export const preferenceChanges: readonly ChangedRecord[] = [
  {
    record: 'notification_preferences',
    select: (db) => db.selectFrom('users as u').select(['u.id', no.status, 'u.id as ownerId', no.organizer, no.parent]),
    path: (_change, reader) => (reader === 'owner' ? '/notifications/preferences' : '/admin/users'),
  },
];
