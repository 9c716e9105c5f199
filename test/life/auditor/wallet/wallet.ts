import { type Area, type Touched, touchedIds } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { resolveByMoney } from './incidents.ts';
import { askInvoice, isMoney, observe } from './invoices.ts';
import type { Model } from '../model.ts';
import type { LedgerEntry } from './wallet-records.ts';
import type { Service } from '../applications/application-records.ts';
import { serviceOf } from '../applications/readiness.ts';
import { judgeWallet, tiynOf } from './wallet-judgement.ts';
import { refund } from '../applications/ends.ts';

/** Money, by `docs/rules/wallet.md`. Amounts are tiyn. */
export const walletArea: Area = {
  records: ['invoice', 'ledger', 'incident'],
  notifies: ['invoice', 'ledger'],

  judge: judgeWallet,

  saw(model, exchange) {
    const { operation, params, data } = exchange;
    const invoice = model.invoices.get(Number(params['id']));
    switch (operation) {
      case 'POST /invoices':
        return addInvoice(model, exchange);
      case 'POST /invoices/{id}/checkout':
        if (!invoice) return [];
        observe(model, invoice, 'pending', exchange.at);
        invoice.isCheckedOut = true;
        model.noted(exchange, 'invoice.checked_out', 'invoice', invoice.id);
        return [{ kind: 'invoice', id: invoice.id }];
      case 'POST /invoices/{id}/verify':
        if (!invoice) return [];
        model.facts.push({
          action: 'invoice.verified',
          subject: `invoice/${invoice.id}`,
          by: exchange.by,
          requestIds: [exchange.requestId],
          isCertain: false,
        });
        observe(model, invoice, data.status, exchange.at);
        askVerified(invoice.id, model, data.status);
        return [{ kind: 'invoice', id: invoice.id }];
      case 'POST /admin/ledger/corrections':
        return correct(model, exchange);
      case 'POST /admin/ledger/{entry_id}/reverse':
        return reverse(model, exchange);
      default:
        return [];
    }
  },

  /** The registry asks the bank for late money each day (WAL-7). */
  dayCame(model) {
    const awaited = [...model.invoices.values()].filter(
      ({ isCredited, status, bankSaid }) => !isCredited && status !== 'mismatch' && bankSaid.length > 0,
    );
    return awaited.map(({ id }) => ({ kind: 'invoice', id }));
  },

  async ask(inquiry, touched) {
    const { model, eventually } = inquiry;
    const owners = new Set(touchedIds(touched, 'account'));
    for (const id of touchedIds(touched, 'invoice')) owners.add(model.invoices.get(id)?.ownerId ?? 0);
    for (const id of owners) {
      const account = model.accounts.get(id);
      if (!account) continue;
      await eventually(async () => {
        await askOpenInvoices(inquiry, id);
        if (account.role !== 'administrator') await askWallet(inquiry, id);
      });
    }
  },

  async askAll(inquiry) {
    const { model, asAdministrator, eventually, same, now } = inquiry;
    for (const invoice of model.invoices.values()) await eventually(() => askInvoice(inquiry, invoice, now));
    const { money } = (await asAdministrator('GET /admin/overview')).data;
    const balances = model.accounts.values().map(({ balance }) => ({ amount_minor: balance }));
    same('the overview shows the sum of all wallets', sum([...balances]), money.wallets_minor);
    const rows = await inquiry.listed<LedgerRow>('GET /admin/ledger');
    const entries = rows.flatMap((row) => row.entries);
    same('all entries of the ledger sum to zero (WAL-1)', 0, sum(entries));
    const premium = entries.filter(({ account }) => account === 'insurance:premium');
    same('the premiums are the payments of national certificates (WAL-14)', paidFor(model, 'national_certificate'), sum(premium));
    same('the overview shows the premiums (WAL-14)', sum(premium), money.premium_minor);
    const income = entries.filter(({ account }) => account.startsWith('income:'));
    same('the overview shows the income (WAL-14)', sum(income), money.income_minor);
    for (const kind of ['international_licence', 'document', 'event_fee'] as const) {
      const booked = income.filter(({ account }) => account === `income:${kind}`);
      same(`the income of ${kind} are the payments of its applications (WAL-14)`, paidFor(model, kind), sum(booked));
    }
  },
};

interface LedgerRow {
  id: number;
  type: string;
  amount_minor: number;
  user_id: number | null;
  application_id: number | null;
  invoice_id: number | null;
  reversal_of: number | null;
  reversed_by: number | null;
  entries: { account: string; amount_minor: number }[];
}

/** An account that has become an administrator keeps its invoices. */
async function askOpenInvoices(inquiry: Inquiry, id: number): Promise<void> {
  for (const invoice of inquiry.model.invoices.values())
    if (invoice.ownerId === id && !invoice.isCredited && invoice.status !== 'mismatch') await askInvoice(inquiry, invoice, inquiry.now);
}

/** Wallet, operations and ledger of an account say what came and went. */
async function askWallet(inquiry: Inquiry, id: number): Promise<void> {
  const { model, asOwner, same } = inquiry;
  const balance = model.accounts.get(id)?.balance;
  const wallet = await asOwner(id, 'GET /wallet', { query: '?limit=100' });
  if (wallet.status === 200) {
    same(`the wallet of account ${id} holds what came and went (WAL-1, WAL-9, WAL-12)`, balance, wallet.data.balance_minor);
    if (wallet.meta.total <= 100)
      same(`the operations of account ${id} sum to its balance`, wallet.data.balance_minor, sum(wallet.data.operations));
    const own = model.invoices.values().flatMap((invoice) => (invoice.ownerId === id ? [invoice.id] : []));
    const newestFirst = inOrder([...own]).toReversed();
    same(`the wallet of account ${id} counts its invoices (WAL-16)`, newestFirst.length, wallet.meta.invoices_total);
    const shown = (wallet.data.invoices as { id: number }[]).map((invoice) => invoice.id);
    same(`the wallet of account ${id} shows its twenty newest invoices (WAL-16)`, newestFirst.slice(0, 20), shown);
  }
  const ledger = await inquiry.listed<LedgerRow>('GET /admin/ledger', `?user_id=${id}`);
  for (const row of ledger) {
    same(`transaction ${row.id} sums to zero (WAL-1)`, 0, sum(row.entries));
    model.ledger.set(row.id, entryOf(row));
  }
  const own = ledger.flatMap(({ entries }) => entries).filter(({ account: name }) => name === `wallet:${id}`);
  same(`the ledger of account ${id} sums to its wallet (WAL-1)`, balance, sum(own));
  for (const row of ledger) askIncome(inquiry, row, `wallet:${id}`);
  const paid = ledger.filter(({ type, reversed_by: by }) => type === 'application_payment' && by === null);
  const expected = [...model.applications.values()].filter(({ isPaid, payerId }) => isPaid && payerId === id);
  same(
    `account ${id} paid for each application once (WAL-12)`,
    inOrder(expected.map((one) => one.id)),
    inOrder(paid.map((row) => row.application_id ?? 0)),
  );
}

/** The price of a national certificate is an insurance premium, every other the income of its kind (WAL-14). */
function askIncome({ model, same }: Inquiry, { id, type, application_id: applicationId, entries }: LedgerRow, wallet: string): void {
  const application = model.applications.get(applicationId ?? 0);
  if (type !== 'application_payment' || !application) return;
  const { kind } = serviceOf(model, application);
  const others = entries.flatMap(({ account }) => (account === wallet ? [] : account));
  const expected = [kind === 'national_certificate' ? 'insurance:premium' : `income:${kind}`];
  same(`transaction ${id} books the price of a ${kind} (WAL-14)`, expected, others);
}

const inOrder = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);

function entryOf(row: LedgerRow): LedgerEntry {
  return {
    id: row.id,
    type: row.type,
    ownerId: row.user_id,
    amount: row.amount_minor,
    applicationId: row.application_id,
    invoiceId: row.invoice_id,
    reversalOf: row.reversal_of,
    reversedBy: row.reversed_by,
  };
}

/** A payment by the bank is known at the latest when its owner has it asked (WAL-5). */
function askVerified(id: number, model: Model, status: string): void {
  const invoice = model.invoices.get(id);
  const says = invoice?.bankSays ?? null;
  if (says === null || says === 'late') return;
  const earlier = invoice?.bankSaid.slice(0, -1) ?? [];
  // After a refusal money still comes (WAL-8); what wins among other words is open.
  const isCertain = earlier.length === 0 || (isMoney(says) && earlier.every(({ outcome }) => outcome === 'failed'));
  if (!isCertain) return;
  const expected = says === 'failed' ? ['failed', 'expired'] : isMoney(says) ? ['paid'] : ['mismatch'];
  if (!expected.includes(status))
    throw new Finding(`invoice ${id} stands after its verification as the bank says (WAL-5, WAL-6, WAL-8)`, expected, status);
}

function addInvoice(model: Model, exchange: Exchange): Touched[] {
  const { data, by } = exchange;
  if (!isRepeat(model, exchange)) {
    model.invoices.set(data.id, {
      id: data.id,
      ownerId: by.accountId,
      amount: tiynOf((exchange.body as { amount: string }).amount),
      number: data.number,
      status: 'created',
      expiresAt: new Date(exchange.at.getTime() + 86_400_000),
      isCredited: false,
      isCheckedOut: false,
      bankSays: null,
      bankSaid: [],
      unanswered: 0,
    });
    model.noted(exchange, 'invoice.created', 'invoice', data.id);
  }
  return [{ kind: 'invoice', id: data.id }];
}

/** Whether a key was used before: then nothing happens again, and the answer names the same record (WAL-4, WAL-10). @throws {Finding} */
function isRepeat({ usedKeys }: Model, { operation, by, key, body, data }: Exchange): boolean {
  if (key === null) return false;
  const name = `${by.accountId}/${operation}/${key}`;
  const before = usedKeys.get(name);
  if (before && before.id !== data.id)
    throw new Finding(`${operation} with a key that was used answers the same (WAL-4, WAL-10)`, before.id, data.id);
  usedKeys.set(name, { body, id: data.id });
  return before !== undefined;
}

interface Correction {
  user_id: number;
  amount: string;
  direction: 'credit' | 'debit';
  incident_id?: number | null;
}

function correct(model: Model, exchange: Exchange): Touched[] {
  const { user_id: userId, amount, direction, incident_id: incidentId } = exchange.body as Correction;
  if (!isRepeat(model, exchange)) {
    const account = model.accounts.get(userId);
    if (account) account.balance += direction === 'credit' ? tiynOf(amount) : -tiynOf(amount);
    model.noted(exchange, 'ledger.corrected', 'ledger', exchange.data.id);
    model.expectNotified(userId, 'ledger.corrected', exchange.data.id);
    if (typeof incidentId === 'number') resolveByMoney(model, exchange, incidentId);
  }
  return [{ kind: 'account', id: userId }];
}

/** A transaction is reversed at most once (WAL-11). */
function reverse(model: Model, exchange: Exchange): Touched[] {
  const entry = model.ledger.get(Number(exchange.params['entry_id']));
  if (!entry || entry.ownerId === null) return [];
  const { incident_id: incidentId } = exchange.body as { incident_id?: number | null };
  if (typeof incidentId === 'number') resolveByMoney(model, exchange, incidentId);
  const touched: Touched[] = [{ kind: 'account', id: entry.ownerId }];
  if (exchange.status !== 201) return touched;
  entry.reversedBy = exchange.data.id;
  model.noted(exchange, 'ledger.reversed', 'ledger', entry.id);
  const application = model.applications.get(entry.applicationId ?? 0);
  if (application) {
    refund(model, application);
    model.shown.changed(`application/${application.id}`);
    return [...touched, { kind: 'application', id: application.id }];
  }
  const account = model.accounts.get(entry.ownerId);
  if (account) account.balance -= entry.amount;
  if (entry.invoiceId !== null) model.noted(exchange, 'invoice.reversed', 'invoice', entry.invoiceId);
  model.expectNotified(entry.ownerId, 'ledger.reversed', entry.id);
  return touched;
}

function paidFor(model: Model, kind: Service['kind']): number {
  const paid = model.applications.values().filter(({ isPaid, serviceId }) => isPaid && model.services.get(serviceId)?.kind === kind);
  return paid.reduce((total, { amount }) => total + amount, 0);
}

function sum(rows: readonly { amount_minor: number }[]): number {
  return rows.reduce((total, { amount_minor: amount }) => total + amount, 0);
}
