import { type RawBuilder, sql } from 'kysely';
import { type Database, customPlan } from '../../../platform/database/database.ts';
import { dayOf, endOfDay, startOfDay } from '../../../platform/time/date-time.ts';
import type { LedgerTransactionType } from '../invoices/states.ts';

/** Money that was booked on one day, tiyn. No sum is lowered by another: a refund changes `refunded` alone (ADM-10). */
export interface DaySums {
  /** Paid invoices, into wallets. */
  paidIn: number;
  /** Payments from wallets for all services but national certificates (WAL-14). */
  income: number;
  /** Payments from wallets for national certificates (WAL-14). */
  premium: number;
  /** Refunds of applications, into wallets. */
  refunded: number;
}

/**
 * Sums the ledger of the registry's day of an instant, in one statement. Reads the transactions of the day by ledger_transactions_at_index
 * and the entries of each by ledger_entries_transaction_index, so the cost does not depend on the size of the ledger.
 */
export function sumDay(db: Database, instant: Date): Promise<DaySums> {
  const day = dayOf(instant);
  return (
    db
      .selectFrom('ledger_transactions as t')
      // A lateral sum is read for each transaction: the planner could join by reading all entries.
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('ledger_entries as e')
            .whereRef('e.transactionId', '=', 't.id')
            .select([
              sumOf(sql`e.amount_minor`, sql`e.account like 'wallet:%'`).as('wallet'),
              sumOf(sql`e.amount_minor`, sql`e.account like 'income:%'`).as('income'),
              sumOf(sql`e.amount_minor`, sql`e.account = 'insurance:premium'`).as('premium'),
            ])
            .as('b'),
        (join) => join.onTrue(),
      )
      .where('t.at', '>=', startOfDay(day))
      .where('t.at', '<', endOfDay(day))
      .select([
        sumOf(sql`b.wallet`, isOf('invoice_payment')).as('paidIn'),
        sumOf(sql`b.income`, isOf('application_payment')).as('income'),
        sumOf(sql`b.premium`, isOf('application_payment')).as('premium'),
        sumOf(sql`b.wallet`, isOf('application_refund')).as('refunded'),
      ])
      // Planned for each call: a generic plan does not know that the day is the newest of many.
      .modifyEnd(customPlan)
      .executeTakeFirstOrThrow()
  );
}

function sumOf(amount: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<number> {
  // The cast is needed: a sum of bigints is numeric, which the driver returns as text.
  return sql<number>`coalesce(sum(${amount}) filter (where ${condition}), 0)::bigint`;
}

function isOf(type: LedgerTransactionType): RawBuilder<unknown> {
  return sql`t.type = ${sql.lit(type)}`;
}
