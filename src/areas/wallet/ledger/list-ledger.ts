import { type AliasedExpression, type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { type Database, customPlan, type Tables } from '../../../platform/database/database.ts';
import { countListed } from '../../../platform/database/tallies.ts';
import { type LedgerTransaction, walletAccount } from '../entities.ts';
import type { LedgerTransactionType } from '../invoices/states.ts';
import type { BookedLeg } from './lock-wallet.ts';

export interface LedgerFilter {
  /** Owner of the moved wallet. */
  user_id?: number | undefined;
  type?: LedgerTransactionType | undefined;
  /** Included. */
  from?: Date | undefined;
  /** Not included. */
  to?: Date | undefined;
  page: number;
  limit: number;
}

/** A ledger transaction with all its legs, in booking order. */
export interface LedgerRow extends Pick<
  LedgerTransaction,
  'id' | 'type' | 'reason' | 'actorId' | 'applicationId' | 'invoiceId' | 'reversalOf' | 'at'
> {
  /** Id of its reversal. */
  reversedBy: number | null;
  entries: BookedLeg[];
}

/** Rows of a wallet or a period are counted exactly up to this number (API-5). */
const mostCounted = 10_000;

/**
 * Lists the transactions that match a filter, newest first. With a wallet or a period the total is counted up to `mostCounted`;
 * otherwise a maintained counter is read.
 *
 * Uses ledger_transactions_at_index or ledger_transactions_type_index, and ledger_entries_account_index for a wallet.
 * @returns `isTotalCapped`: there are more rows than `total`
 */
export async function listLedger(
  db: Database,
  filter: LedgerFilter,
): Promise<{ rows: LedgerRow[]; total: number; isTotalCapped: boolean }> {
  const { page, limit } = filter;
  const shown = describe(db, matching(db, filter, limit, (page - 1) * limit));
  const inOrder = filter.user_id === undefined ? shown.orderBy('t.at', 'desc').orderBy('t.id', 'desc') : shown.orderBy('t.id', 'desc');
  const isCounted = filter.user_id !== undefined || filter.from !== undefined || filter.to !== undefined;
  const [found, total] = await Promise.all([
    // Planned for each call: a generic plan estimates a page as a tenth of the ledger.
    inOrder.modifyEnd(customPlan).execute(),
    isCounted ? countUpToMost(db, filter) : countListed(db, 'ledger', (type) => (filter.type ?? type) === type),
  ]);
  const isTotalCapped = isCounted && total > mostCounted;
  return { rows: found.map(withLegs), total: isTotalCapped ? mostCounted : total, isTotalCapped };
}

/** @returns at most one more than `mostCounted` */
async function countUpToMost(db: Database, filter: LedgerFilter): Promise<number> {
  const { total } = await db
    .selectFrom(matching(db, filter, sql.lit(mostCounted + 1)))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Finds one transaction in the list's format. */
export async function findLedgerRow(db: Database, id: number): Promise<LedgerRow | null> {
  const one = db.selectFrom('ledger_transactions as t').select('t.id').where('t.id', '=', id);
  const found = await describe(db, one.as('s')).executeTakeFirst();
  return found ? withLegs(found) : null;
}

/** Renames the legs' fields: the column mapping does not reach inside JSON. */
function withLegs<Found extends { legs: { account: string; minor: number }[] }>({
  legs,
  ...row
}: Found): Omit<Found, 'legs'> & Pick<LedgerRow, 'entries'> {
  return { ...row, entries: legs.map(({ account, minor }) => ({ account, amountMinor: minor })) };
}

/**
 * Selects the ids that match a filter, newest first. A wallet's entries are booked under its lock, so their ids are in time order
 * and the index of entries gives the order.
 */
function matching(
  db: Database,
  filter: LedgerFilter,
  limit: number | RawBuilder<number>,
  offset = 0,
): AliasedExpression<{ id: number }, 's'> {
  if (filter.user_id === undefined)
    return db
      .selectFrom('ledger_transactions as t')
      .where(matches(filter))
      .select('t.id')
      .orderBy('t.at', 'desc')
      .orderBy('t.id', 'desc')
      .limit(limit)
      .offset(offset)
      .as('s');
  const booked = db
    .selectFrom('ledger_entries as e')
    .where('e.account', '=', walletAccount(filter.user_id))
    .select('e.transactionId as id')
    .orderBy('e.id', 'desc')
    .limit(limit)
    .offset(offset);
  const isWhole = filter.type === undefined && filter.from === undefined && filter.to === undefined;
  const those = isWhole
    ? booked
    : booked.where((eb) =>
        eb.exists(eb.selectFrom('ledger_transactions as t').select('t.id').whereRef('t.id', '=', 'e.transactionId').where(matches(filter))),
      );
  return those.as('s');
}

function matches({ type, from, to }: LedgerFilter): Expression<SqlBool> {
  const eb = expressionBuilder<{ t: Tables['ledger_transactions'] }, 't'>();
  return eb.and([
    ...(type === undefined ? [] : [eb('t.type', '=', type)]),
    ...(from === undefined ? [] : [eb('t.at', '>=', from)]),
    ...(to === undefined ? [] : [eb('t.at', '<', to)]),
  ]);
}

/** Selects the columns of chosen transactions. Uses ledger_transactions_reversal_unique and ledger_entries_transaction_index. */
function describe(db: Database, chosen: AliasedExpression<{ id: number }, 's'>) {
  return db
    .selectFrom(chosen)
    .innerJoin('ledger_transactions as t', 't.id', 's.id')
    .leftJoin('ledger_transactions as r', 'r.reversalOf', 't.id')
    .select(['t.id', 't.type', 't.reason', 't.actorId', 't.applicationId', 't.invoiceId', 't.reversalOf', 't.at', 'r.id as reversedBy'])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('ledger_entries as e')
          .whereRef('e.transactionId', '=', 't.id')
          .select(['e.account', 'e.amountMinor as minor'])
          .orderBy('e.id'),
      ).as('legs'),
    );
}
