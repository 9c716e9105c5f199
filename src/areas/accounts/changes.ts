import type { Database } from '../../platform/database/database.ts';
import { type ChangedRecord, no } from '../changes/index.ts';

const accountPath: ChangedRecord['path'] = (_change, reader) => (reader === 'owner' ? '/account' : '/admin/users');

/** Accounts in the log of changes. */
export const accountChanges: readonly ChangedRecord[] = [
  { record: 'account', select: selectAccounts, path: accountPath },
  { record: 'user', select: selectAccounts, path: accountPath },
  { record: 'contact_message', path: ({ id }) => `/admin/audit?subject=contact_message/${id}` },
];

function selectAccounts(db: Database) {
  return db.selectFrom('users as u').select(['u.id', 'u.status', 'u.id as ownerId', no.organizer, no.parent]);
}
