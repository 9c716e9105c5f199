import type { EntityManager } from '@mikro-orm/postgresql';
import { walletAccount } from './accounts.ts';
import { InvoiceEntity } from './entities.ts';
import type { Invoice } from './entities.ts';
import type { LedgerTransactionType } from './states.ts';
import { loadById, loadByUnique } from '../platform/database/load.ts';

const shownInvoices = 20;

/** One movement of money as a wallet's owner sees it; amounts in tiyn. */
export interface Operation {
  id: number;
  type: LedgerTransactionType;
  amountMinor: number;
  balanceMinor: number;
  applicationId: number | null;
  invoiceId: number | null;
  reversalOf: number | null;
  flags: string[];
  at: Date;
}

export function findInvoice(em: EntityManager, id: number): Promise<Readonly<Invoice> | null> {
  return loadById(em, InvoiceEntity, id);
}

/** An invoice by the number the bank knows it by. Uses invoices_number_unique. */
export function findInvoiceByNumber(em: EntityManager, number: string): Promise<Readonly<Invoice> | null> {
  return loadByUnique(em, InvoiceEntity, 'number', number);
}

/** A person's newest invoices. Uses invoices_owner_index. */
export function listRecentInvoices(em: EntityManager, ownerId: number): Promise<Invoice[]> {
  return em.find(InvoiceEntity, { ownerId }, { orderBy: { id: 'desc' }, limit: shownInvoices });
}

/** What a wallet holds, tiyn; a wallet that was never needed holds nothing. */
export async function readBalance(em: EntityManager, userId: number): Promise<number> {
  const [row] = await em.execute<{ balance_minor: string }[]>('select balance_minor from wallets where user_id = ?', [userId]);
  return Number(row?.balance_minor ?? 0);
}

/** A page of a wallet's history, newest first, with the balance after each movement. Uses ledger_entries_account_index. */
export async function listOperations(
  em: EntityManager,
  userId: number,
  paging: { page: number; limit: number },
): Promise<{ operations: Operation[]; total: number }> {
  const account = walletAccount(userId);
  const rows = await em.execute<OperationRow[]>(
    `with history as (
       select id, transaction_id, amount_minor, sum(amount_minor) over (order by id) as balance_minor, count(*) over () as total
       from ledger_entries where account = ?
     )
     select t.id, t.type, h.amount_minor, h.balance_minor, t.application_id, t.invoice_id, t.reversal_of, t.flags, t.at, h.total
     from (select * from history order by id desc limit ? offset ?) h
     join ledger_transactions t on t.id = h.transaction_id order by h.id desc`,
    [account, paging.limit, (paging.page - 1) * paging.limit],
  );
  const [first] = rows;
  return { operations: rows.map(toOperation), total: first ? Number(first.total) : await countOperations(em, account) };
}

interface OperationRow {
  id: number;
  type: LedgerTransactionType;
  amount_minor: string;
  balance_minor: string;
  application_id: number | null;
  invoice_id: number | null;
  reversal_of: number | null;
  flags: string[];
  at: string | Date;
  total: string;
}

/** A page beyond the end has no row to carry the count. */
async function countOperations(em: EntityManager, account: string): Promise<number> {
  const [row] = await em.execute<{ count: string }[]>('select count(*) from ledger_entries where account = ?', [account]);
  return Number(row?.count ?? 0);
}

function toOperation(row: OperationRow): Operation {
  return {
    id: row.id,
    type: row.type,
    amountMinor: Number(row.amount_minor),
    balanceMinor: Number(row.balance_minor),
    applicationId: row.application_id,
    invoiceId: row.invoice_id,
    reversalOf: row.reversal_of,
    flags: row.flags,
    at: new Date(row.at),
  };
}
