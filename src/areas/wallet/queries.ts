import { sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { countRows, type Database, inList, type Paging, readPage } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import type { DueRecord } from '../../platform/workflows/define-process.ts';
import { type InvoiceStatus, isOpen, openStatuses } from './invoices/states.ts';
import { type Invoice, InvoiceEntity, type LedgerEntry, type LedgerTransaction, walletAccount } from './entities.ts';

const shownInvoices = 20;

/** One ledger transaction for the wallet's owner; amounts in tiyn. */
export type Operation = Readonly<
  Pick<LedgerTransaction, 'id' | 'type' | 'applicationId' | 'invoiceId' | 'reversalOf' | 'flags' | 'at'> &
    Pick<LedgerEntry, 'amountMinor'> & { balanceMinor: number }
>;

export async function findInvoice(db: Database, id: number): Promise<Readonly<Invoice> | null> {
  return (await db.selectFrom('invoices').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Reads invoices by ids; missing ones are left out. */
export function readInvoices(db: Database, ids: readonly number[]): Promise<Readonly<Invoice>[]> {
  return db.selectFrom('invoices').selectAll().where('id', '=', inList(ids)).execute();
}

/** Finds an invoice by its number at the bank. Uses invoices_number_unique. */
export async function findInvoiceByNumber(db: Database, number: string): Promise<Readonly<Invoice> | null> {
  return (await db.selectFrom('invoices').selectAll().where('number', '=', number).executeTakeFirst()) ?? null;
}

/** Lists the newest invoices of an account with the number of all. Uses invoices_owner_index. */
export function listRecentInvoices(db: Database, ownerId: number, now: Date): Promise<{ rows: Readonly<Invoice>[]; total: number }> {
  return listInvoices(db, now, { ownerId, page: 1, limit: shownInvoices });
}

/**
 * Lists a page of an account's invoices, newest first, with the number of matches (WAL-16). Uses invoices_owner_index; with a status
 * invoices_owner_status_index.
 * @param status as it is shown now (`statusAt`): an open invoice past its `expires_at` is `expired`
 */
export function listInvoices(
  db: Database,
  now: Date,
  { ownerId, status, ...paging }: Paging & { ownerId: number; status?: InvoiceStatus | undefined },
): Promise<{ rows: Readonly<Invoice>[]; total: number }> {
  const own = db.selectFrom('invoices').selectAll().where('ownerId', '=', ownerId);
  if (status === undefined) return readPage(own.orderBy('id', 'desc'), paging);
  const matching = own.where((eb) => {
    if (isOpen(status)) return eb.and([eb('status', '=', status), eb('expiresAt', '>', now)]);
    if (status !== 'expired') return eb('status', '=', status);
    return eb.or([eb('status', '=', status), eb.and([eb('status', 'in', [...openStatuses]), eb('expiresAt', '<=', now)])]);
  });
  return readPage(matching.orderBy('id', 'desc'), paging);
}

/** Lists invoices with a due query, earliest first, after the cursor `after`. Uses invoices_open_index. */
export function listDueInvoices(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]> {
  const due = db.selectFrom('invoices').select(['id', 'nextAskAt as at']).where('nextAskAt', '<=', now);
  const next = after === null ? due : due.where((eb) => eb(eb.refTuple('nextAskAt', 'id'), '>', eb.tuple(after.at, after.id)));
  return next.orderBy('nextAskAt').orderBy('id').limit(limit).$narrowType<{ at: Date }>().execute();
}

/** Reads a wallet's balance, tiyn; 0 for a missing wallet. */
export async function readBalance(db: Database, userId: number): Promise<number> {
  const wallet = await db.selectFrom('wallets').select('balanceMinor').where('userId', '=', userId).executeTakeFirst();
  return wallet?.balanceMinor ?? 0;
}

/** Lists a page of a wallet's history, newest first, with the balance after each entry. Uses ledger_entries_account_index. */
export async function listOperations(
  db: Database,
  userId: number,
  paging: { page: number; limit: number },
): Promise<{ operations: Operation[]; total: number }> {
  const account = walletAccount(userId);
  const rows = await db
    .with('history', (history) =>
      history
        .selectFrom('ledger_entries')
        .where('account', '=', account)
        .select(({ fn }) => [
          'id',
          'transactionId',
          'amountMinor',
          // A sum of bigints is numeric, which the driver returns as text.
          sql<number>`(sum(amount_minor) over (order by id))::bigint`.as('balanceMinor'),
          fn.countAll<number>().over().as('total'),
        ]),
    )
    .selectFrom((eb) =>
      eb
        .selectFrom('history')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(paging.limit)
        .offset((paging.page - 1) * paging.limit)
        .as('h'),
    )
    .innerJoin('ledger_transactions as t', 't.id', 'h.transactionId')
    .select(['t.id', 't.type', 't.applicationId', 't.invoiceId', 't.reversalOf', 't.flags', 't.at'])
    .select(['h.amountMinor', 'h.balanceMinor', 'h.total'])
    .orderBy('h.id', 'desc')
    .execute();
  const [first] = rows;
  // A page beyond the end has no row with the total.
  return { operations: rows, total: first?.total ?? (await countRows(db.selectFrom('ledger_entries').where('account', '=', account))) };
}

/** Locks an invoice until the transaction ends. Lock order: after the owner's wallet. @throws {DomainError} not_found */
export async function lockInvoice(ctx: CommandContext, id: number): Promise<Locked<Invoice>> {
  const invoice = await lockForChange(ctx.em, InvoiceEntity, { id });
  if (!invoice) throw new DomainError('not_found');
  return invoice;
}
