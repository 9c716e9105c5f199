import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import type { ServiceKind } from '../catalog/index.ts';
import { type InvoiceStatus, invoiceStatuses, type LedgerTransactionType, openStatuses } from './invoices/states.ts';

/** An account of the ledger (WAL-1). */
export type LedgerAccount = `wallet:${number}` | 'bank:clearing' | `income:${ServiceKind}` | 'insurance:premium' | 'adjustments';

/** Names the ledger account of a user's wallet. */
export function walletAccount(userId: number): LedgerAccount {
  return `wallet:${userId}`;
}

/** Reads the owner of a wallet account; null for the federation's accounts. */
export function walletOwner(account: string): number | null {
  const [, userId] = /^wallet:([1-9]\d*)$/.exec(account) ?? [];
  return userId === undefined ? null : Number(userId);
}

/** Chooses the account to which the price of a service is booked (WAL-14). */
export function earningAccount(serviceKind: ServiceKind): LedgerAccount {
  return serviceKind === 'national_certificate' ? 'insurance:premium' : `income:${serviceKind}`;
}

/** The balance of a wallet. Its row is locked for every change; its check prevents a negative balance (WAL-2). */
export const WalletEntity = defineEntity({
  name: 'Wallet',
  tableName: 'wallets',
  properties: {
    userId: () => referenceTo(UserEntity, 'user_id', 'wallets_user_fk').primary(),
    balanceMinor: p.bigint('number').default(0),
  },
  checks: [{ name: 'wallets_balance_not_negative', expression: 'balance_minor >= 0' }],
});
export type Wallet = InferEntity<typeof WalletEntity>;

/** A ledger transaction; append-only (WAL-1). `reference` is its business key, so it cannot be booked twice. */
export const LedgerTransactionEntity = defineEntity({
  name: 'LedgerTransaction',
  tableName: 'ledger_transactions',
  properties: {
    id: p.integer().primary().autoincrement(),
    type: p.string().length(40).$type<LedgerTransactionType>(),
    reference: p.string().length(100),
    reversalOf: p.integer().strictNullable(),
    applicationId: p.integer().strictNullable(),
    invoiceId: p.integer().strictNullable(),
    reason: p.text().strictNullable(),
    flags: p.array(),
    actorId: p.integer().strictNullable(),
    requestId: p.string().length(64),
    at: p.datetime(),
  },
  uniques: [
    { name: 'ledger_transactions_reference_unique', properties: ['reference'] },
    { name: 'ledger_transactions_reversal_unique', properties: ['reversalOf'] },
  ],
  // For the administrators' list, by time and by type; a wallet's transactions are found by its entries.
  indexes: [
    { name: 'ledger_transactions_at_index', properties: ['at', 'id'] },
    { name: 'ledger_transactions_type_index', properties: ['type', 'at', 'id'] },
  ],
});
export type LedgerTransaction = InferEntity<typeof LedgerTransactionEntity>;

/** One leg of a transaction, tiyn; positive adds to the account. A deferred constraint makes the legs sum to zero (WAL-1). */
export const LedgerEntryEntity = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  properties: {
    id: p.integer().primary().autoincrement(),
    transactionId: () => referenceTo(LedgerTransactionEntity, 'transaction_id', 'ledger_entries_transaction_fk'),
    account: p.string().length(60).$type<LedgerAccount>(),
    amountMinor: p.bigint('number'),
    currency: p.string().length(3).default('KZT'),
  },
  indexes: [
    { name: 'ledger_entries_transaction_index', properties: ['transactionId'] },
    // For a wallet's history, newest first.
    { name: 'ledger_entries_account_index', properties: ['account', 'id'] },
  ],
  checks: [{ name: 'ledger_entries_amount_not_zero', expression: 'amount_minor <> 0' }],
});
export type LedgerEntry = InferEntity<typeof LedgerEntryEntity>;

/** A request to pay money into the wallet through the bank (WAL-3). */
export const InvoiceEntity = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    id: p.integer().primary().autoincrement(),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'invoices_owner_fk'),
    number: p.string().length(15),
    amountMinor: p.bigint('number'),
    currency: p.string().length(3).$type<'KZT'>().default('KZT'),
    status: p.string().length(20).$type<InvoiceStatus>().default('created'),
    idempotencyKey: p.string().length(255),
    bankReference: p.string().length(100).strictNullable(),
    late: p.boolean().default(false),
    paidAt: p.datetime().strictNullable(),
    expiresAt: p.datetime(),
    /** Start of the last query; the pause counts from it (WAL-13). */
    lastAskedAt: p.datetime().strictNullable(),
    lastAnsweredAt: p.datetime().strictNullable(),
    /** Time of a callback that no query has followed yet. */
    hintedAt: p.datetime().strictNullable(),
    nextAskAt: p.datetime().strictNullable(),
    asked: p.integer().default(0),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  uniques: [
    { name: 'invoices_number_unique', properties: ['number'] },
    { name: 'invoices_idempotency_unique', properties: ['ownerId', 'idempotencyKey'] },
    { name: 'invoices_bank_reference_unique', properties: ['bankReference'] },
  ],
  indexes: [
    { name: 'invoices_owner_index', properties: ['ownerId', 'id'] },
    { name: 'invoices_owner_status_index', properties: ['ownerId', 'status', 'id'] },
    // For the limit of open invoices.
    { name: 'invoices_owner_open_index', properties: ['ownerId', 'expiresAt'], where: `status in (${literalText(openStatuses)})` },
    // For the rebuild.
    { name: 'invoices_living_index', properties: ['id'], where: 'next_ask_at is not null' },
    // For due queries, earliest first.
    { name: 'invoices_open_index', properties: ['nextAskAt', 'id'], where: 'next_ask_at is not null' },
  ],
  checks: [
    { name: 'invoices_amount_range', expression: 'amount_minor >= 10000 and amount_minor <= 500000000' },
    { name: 'invoices_status_known', expression: `status in (${literalText(invoiceStatuses)})` },
  ],
});
export type Invoice = InferEntity<typeof InvoiceEntity>;

/** A bank response that differs from the previous one; append-only, a source of the invoice's timeline. */
export const BankAnswerEntity = defineEntity({
  name: 'BankAnswer',
  tableName: 'bank_answers',
  properties: {
    id: p.integer().primary().autoincrement(),
    invoiceId: () => referenceTo(InvoiceEntity, 'invoice_id', 'bank_answers_invoice_fk'),
    state: p.string().length(20),
    invoiceNumber: p.string().length(40),
    amountMinor: p.bigint('number'),
    currency: p.string().length(10),
    terminal: p.string().length(60),
    reference: p.string().length(100).strictNullable(),
    verdict: p.string().length(40),
    at: p.datetime(),
  },
  indexes: [{ name: 'bank_answers_invoice_index', properties: ['invoiceId', 'id'] }],
});
