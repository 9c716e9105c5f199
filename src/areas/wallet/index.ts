import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { stateGauges } from '../../platform/metrics/state-gauges.ts';
import { erasureBlockers } from '../../platform/erasure-blockers.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { accountOpened } from '../accounts/index.ts';
import { changedRecords } from '../changes/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { invoiceGauges, walletChanges } from './extensions.ts';
import { paymentReturnRoutes } from './invoices/payment-return-routes.ts';
import { invoiceProcess } from './invoices/process.ts';
import { walletRoutes } from './invoices/routes.ts';
import { openWallet } from './ledger/lock-wallet.ts';
import { ledgerRoutes } from './ledger/routes.ts';
import { invoiceNotifications, ledgerNotifications } from './notifications.ts';
import { walletRecords } from './personal-data.ts';
import { moneyInWallet, openInvoice } from './erasure-blockers.ts';

/** Wallets, the ledger, invoices and the bank. */
export const walletArea: Area = {
  processes: [invoiceProcess],
  extensions: [
    extend(changedRecords, walletChanges),
    extend(notificationKinds, invoiceNotifications),
    extend(notificationKinds, ledgerNotifications),
    extend(accountOpened, openWallet),
    extend(stateGauges, invoiceGauges),
    extend(personalRecords, walletRecords),
    extend(erasureBlockers, moneyInWallet),
    extend(erasureBlockers, openInvoice),
  ],
  routes: () => [...walletRoutes, ...ledgerRoutes, ...paymentReturnRoutes],
};

export { type Invoice, walletOwner } from './entities.ts';
export { askBank, loadInvoice, requireBank } from './invoices/ask-bank.ts';
export { type Asker, beginPaymentQuery, type PaymentQuery, wantsPaymentQuery } from './invoices/begin-payment-query.ts';
export { invoiceProcess } from './invoices/process.ts';
export { type ReceivedResponse, recordBankResponse } from './invoices/record-bank-response.ts';
export { recordBankTimeout } from './invoices/record-bank-timeout.ts';
export { recordVerification } from './invoices/record-verification.ts';
export { type InvoiceStatus, isFinal, statusAt } from './invoices/states.ts';
export { type LockedWallet, lockWallet, lockWallets } from './ledger/lock-wallet.ts';
export { payFromWallet } from './ledger/pay-from-wallet.ts';
export { postTransaction } from './ledger/post-transaction.ts';
export { reverseTransaction, type ReversibleMovement, reversibleMovements } from './ledger/reverse-transaction.ts';
export { type DaySums, sumDay } from './ledger/sum-day.ts';
export { findInvoice, readBalance } from './queries.ts';
