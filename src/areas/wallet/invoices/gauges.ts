import { sql } from 'kysely';
import { countUpTo } from '../../../platform/database/count-up-to.ts';
import { literalText } from '../../../platform/database/literals.ts';
import { defineStateGauges, mostCounted } from '../../../platform/metrics/state-gauges.ts';
import { openStatuses } from './states.ts';

/** Invoices that the bank may still settle in time. Uses invoices_owner_open_index, whose predicate needs the statuses as literals. */
export const invoiceGauges = defineStateGauges(
  { registry_invoices_open: { help: `Invoices that wait for a payment, counted up to ${mostCounted}`, labels: [] } },
  async (_, db) => {
    const open = db.selectFrom('invoices').where(sql<boolean>`status in (${sql.raw(literalText(openStatuses))})`);
    return [{ name: 'registry_invoices_open', value: (await countUpTo(db, open, mostCounted)).total }];
  },
);
