import { inList } from '../../platform/database/database.ts';
import type { ErasureBlocker } from '../../platform/erasure-blockers.ts';
import { openStatuses } from './invoices/states.ts';

export const moneyInWallet: ErasureBlocker = {
  code: 'money_in_wallet',
  kind: 'user',
  step: 'Spend the money, or ask the federation to pay it out and to correct the balance.',
  find: (db, userId) =>
    db.selectFrom('wallets').select('userId as id').where('userId', '=', userId).where('balanceMinor', '<>', 0).execute(),
};

export const openInvoice: ErasureBlocker = {
  code: 'open_invoice',
  kind: 'invoice',
  step: 'Pay the invoice, or wait until it expires.',
  find: (db, userId, limit) =>
    db
      .selectFrom('invoices')
      .select('id')
      .where('ownerId', '=', userId)
      .where('status', '=', inList(openStatuses))
      .orderBy('id')
      .limit(limit)
      .execute(),
};
