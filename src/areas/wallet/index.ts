import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { accountOpened } from '../accounts/index.ts';
import { notificationKinds } from '../notifications/index.ts';
import { paymentReturnRoutes } from './invoices/payment-return-routes.ts';
import { invoiceProcess } from './invoices/process.ts';
import { walletRoutes } from './invoices/routes.ts';
import { openWallet } from './ledger/lock-wallet.ts';
import { ledgerRoutes } from './ledger/routes.ts';
import { invoiceNotifications, ledgerNotifications } from './notifications.ts';

/** Wallets, the ledger, invoices and the bank. */
export const walletArea: Area = {
  processes: [invoiceProcess],
  extensions: [
    extend(notificationKinds, invoiceNotifications),
    extend(notificationKinds, ledgerNotifications),
    extend(accountOpened, openWallet),
  ],
  routes: () => [...walletRoutes, ...ledgerRoutes, ...paymentReturnRoutes],
};

export type { Invoice } from './entities.ts';
export { findInvoice, readBalance } from './queries.ts';
export { askBank, loadInvoice, requireBank } from './invoices/ask-bank.ts';
export { beginPaymentQuery, wantsPaymentQuery } from './invoices/begin-payment-query.ts';
export type { Asker, PaymentQuery } from './invoices/begin-payment-query.ts';
export { walletOwner } from './accounts.ts';
export { lockWallet, lockWallets } from './ledger/lock-wallet.ts';
export type { LockedWallet } from './ledger/lock-wallet.ts';
export { noteBankHint } from './invoices/note-bank-hint.ts';
export { payFromWallet } from './ledger/pay-from-wallet.ts';
export { postTransaction } from './ledger/post-transaction.ts';
export { invoiceProcess } from './invoices/process.ts';
export { recordBankResponse } from './invoices/record-bank-response.ts';
export type { ReceivedResponse } from './invoices/record-bank-response.ts';
export { recordBankTimeout } from './invoices/record-bank-timeout.ts';
export { recordVerification } from './invoices/record-verification.ts';
export { reversibleMovements } from './ledger/reverse-transaction.ts';
export type { ReversibleMovement } from './ledger/reverse-transaction.ts';
export { reverseTransaction } from './ledger/reverse-transaction.ts';
export { isFinal } from './invoices/states.ts';
