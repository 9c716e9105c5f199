import { sql } from 'kysely';
import { countUpTo } from '../../platform/database/bounded-queries.ts';
import { literalText } from '../../platform/database/literals.ts';
import { defineStateGauges, mostCounted } from '../../platform/metrics/state-gauges.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';
import { openStatuses } from './invoices/states.ts';

/** Invoices and the ledger in the log of changes. */
export const walletChanges: readonly ChangedRecord[] = [
  {
    record: 'invoice',
    select: (db) => db.selectFrom('invoices as i').select(['i.id', 'i.status', 'i.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/invoices/${id}`,
  },
  {
    record: 'ledger',
    // A movement has at most one wallet.
    select: (db) =>
      db
        .selectFrom('ledger_entries as e')
        .where(sql<boolean>`e.account like 'wallet:%'`)
        .select(['e.transactionId as id', nullColumn.status, nullColumn.organizer, nullColumn.parent])
        .select(sql<number>`split_part(e.account, ':', 2)::int`.as('ownerId')),
    path: (_change, reader) => (reader === 'owner' ? '/wallet' : '/admin/ledger'),
  },
];

/** Invoices that the bank may still settle in time. Uses invoices_owner_open_index, whose predicate needs the statuses as literals. */
export const invoiceGauges = defineStateGauges(
  { registry_invoices_open: { help: `Invoices that wait for a payment, counted up to ${mostCounted}`, labels: [] } },
  async (_, db) => {
    const open = db.selectFrom('invoices').where(sql<boolean>`status in (${sql.raw(literalText(openStatuses))})`);
    return [{ name: 'registry_invoices_open', value: (await countUpTo(db, open, mostCounted)).total }];
  },
);
