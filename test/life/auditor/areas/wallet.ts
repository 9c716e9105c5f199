import { type Area, type Touched, touchedIds } from '../area.ts';
import { Finding } from '../finding.ts';
import type { Model } from '../model.ts';

/** Money, by `docs/rules/wallet.md`. Amounts are tiyn. */
export const walletArea: Area = {
  saw(model, { operation, params, body, data, by, status }) {
    switch (operation) {
      case 'POST /invoices':
        if (status === 201)
          model.invoices.set(data.id, {
            id: data.id,
            ownerId: by.accountId,
            amount: data.amount_minor,
            number: data.number,
            isCredited: false,
            bankSays: null,
          });
        return [{ kind: 'invoice', id: data.id }];
      case 'POST /invoices/{id}/verify':
        return credit(model, Number(params['id']), data.status);
      case 'POST /admin/ledger/corrections': {
        const { user_id: userId, amount, direction } = body as { user_id: number; amount: string; direction: 'credit' | 'debit' };
        const tiyn = Number(amount.replace('.', ''));
        const account = model.accounts.get(userId);
        if (account) account.balance += direction === 'credit' ? tiyn : -tiyn;
        return [{ kind: 'account', id: userId }];
      }
      default:
        return [];
    }
  },

  async ask({ model, asOwner, asAdministrator, eventually, same }, touched) {
    const owners = new Set(touchedIds(touched, 'account'));
    for (const id of touchedIds(touched, 'invoice')) owners.add(model.invoices.get(id)?.ownerId ?? 0);
    for (const id of owners) {
      const account = model.accounts.get(id);
      if (!account || account.role === 'administrator') continue;
      await eventually(async () => {
        await settleInvoices(model, id, asAdministrator);
        const wallet = await asOwner(id, 'GET /wallet', { query: '?limit=100' });
        if (wallet.status === 200) {
          same(`the wallet of account ${id} holds what came and went (WAL-1, WAL-9, WAL-12)`, account.balance, wallet.data.balance_minor);
          if (wallet.meta.total <= 100)
            same(`the operations of account ${id} sum to its balance`, wallet.data.balance_minor, sum(wallet.data.operations));
        }
        const ledger = await asAdministrator('GET /admin/ledger', { query: `?user_id=${id}&limit=100` });
        for (const row of ledger.data as { id: number; entries: { amount_minor: number }[] }[])
          same(`transaction ${row.id} sums to zero (WAL-1)`, 0, sum(row.entries));
        const own = (ledger.data as { entries: { account: string; amount_minor: number }[] }[]).flatMap(({ entries }) => entries);
        if (ledger.meta.total <= 100)
          same(
            `the ledger of account ${id} sums to its wallet (WAL-1)`,
            account.balance,
            sum(own.filter(({ account: name }) => name === `wallet:${id}`)),
          );
      });
    }
  },

  async askAll({ model, asAdministrator, same }) {
    const { money } = (await asAdministrator('GET /admin/overview')).data;
    const balances = model.accounts.values().map(({ balance }) => ({ amount_minor: balance }));
    same('the overview shows the sum of all wallets', sum([...balances]), money.wallets_minor);
  },
};

/** An invoice that was paid is credited once, whoever asked the bank (WAL-9). */
function credit(model: Model, id: number, status: string): Touched[] {
  const invoice = model.invoices.get(id);
  if (!invoice) return [];
  // A payment that differs in amount, currency or invoice is never credited (WAL-6), nor an unpaid invoice (WAL-5).
  if (status === 'paid' && invoice.bankSays !== 'paid' && invoice.bankSays !== 'twice')
    throw new Finding(`invoice ${id} is paid only when the bank says so (WAL-5, WAL-6)`, invoice.bankSays ?? 'unpaid', status);
  if (status === 'paid' && !invoice.isCredited) {
    invoice.isCredited = true;
    const account = model.accounts.get(invoice.ownerId);
    if (account) account.balance += invoice.amount;
  }
  return [{ kind: 'invoice', id }];
}

/** The bank's own word comes to the registry at any time. */
async function settleInvoices(
  model: Model,
  ownerId: number,
  asAdministrator: (operation: string, call: object) => Promise<{ data: { status: string } }>,
): Promise<void> {
  for (const invoice of model.invoices.values())
    if (invoice.ownerId === ownerId && !invoice.isCredited)
      credit(model, invoice.id, (await asAdministrator('GET /invoices/{id}', { params: { id: invoice.id } })).data.status);
}

function sum(rows: readonly { amount_minor: number }[]): number {
  return rows.reduce((total, { amount_minor: amount }) => total + amount, 0);
}
