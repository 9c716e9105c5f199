import { type ChangedRecord, no } from '../changes/index.ts';

/** The link of an account with its chat, in the log of changes. */
export const botLinkChanges: readonly ChangedRecord[] = [
  {
    record: 'messaging_bot',
    select: (db) => db.selectFrom('users as u').select(['u.id', no.status, 'u.id as ownerId', no.organizer, no.parent]),
    path: (_change, reader) => (reader === 'owner' ? '/messaging-bot' : '/admin/users'),
  },
];
