import { sql } from 'kysely';
import { type PersonalRecord, personal } from '../../platform/personal-data.ts';
import { walletAccount } from './entities.ts';

const personalInvoices = personal(
  'invoices',
  'invoice',
  { account: 'ownerId' },
  {
    idempotencyKey: 'technical',
    bankReference: 'fact',
    late: 'fact',
    paidAt: 'fact',
    lastAskedAt: 'technical',
    lastAnsweredAt: 'technical',
    hintedAt: 'technical',
    nextAskAt: 'technical',
    asked: 'technical',
  },
  { keptFor: 'money', columns: { idempotencyKey: sql`id::text` } },
);

export const walletRecords: readonly PersonalRecord[] = [
  personal('wallets', 'wallet', { account: 'userId' }, { balanceMinor: 'fact' }, { keptFor: 'money', columns: {} }),
  personal(
    'ledger_transactions',
    'ledger_transaction',
    {
      where: ({ userId }) =>
        sql`ledger_transactions.id in (select transaction_id from ledger_entries where account = ${walletAccount(userId)})`,
    },
    { reference: 'fact', reversalOf: 'fact', invoiceId: 'fact', flags: 'fact', actorId: 'technical' },
    { keptFor: 'money', columns: { reason: 'withheld' } },
  ),
  personal(
    'ledger_entries',
    'ledger_entry',
    { where: ({ userId }) => sql`ledger_entries.account = ${walletAccount(userId)}` },
    { transactionId: 'fact', account: 'fact' },
    { keptFor: 'money', columns: {} },
  ),
  personalInvoices,
  personal(
    'bank_answers',
    'bank_answer',
    { column: 'invoiceId', of: personalInvoices },
    { invoiceId: 'fact', state: 'fact', invoiceNumber: 'fact', terminal: 'fact', reference: 'fact', verdict: 'fact' },
    { keptFor: 'money', columns: {} },
  ),
];
