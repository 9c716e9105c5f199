import { sql } from 'kysely';
import { type ChangedRecord, no } from '../changes/index.ts';

/** Invoices and the ledger in the log of changes. */
export const walletChanges: readonly ChangedRecord[] = [
  {
    record: 'invoice',
    select: (db) => db.selectFrom('invoices as i').select(['i.id', 'i.status', 'i.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/invoices/${id}`,
  },
  {
    record: 'ledger',
    // A movement has at most one wallet.
    select: (db) =>
      db
        .selectFrom('ledger_entries as e')
        .where(sql<boolean>`e.account like 'wallet:%'`)
        .select(['e.transactionId as id', no.status, no.organizer, no.parent])
        .select(sql<number>`split_part(e.account, ':', 2)::int`.as('ownerId')),
    path: (_change, reader) => (reader === 'owner' ? '/wallet' : '/admin/ledger'),
  },
];
