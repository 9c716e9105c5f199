import { accountOpened } from '../accounts/index.ts';
import type { Area } from '../http/define-area.ts';
import { notificationKinds } from '../notifications/index.ts';
import { extend } from '../platform/extensions.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import { invoiceNotifications, ledgerNotifications } from './notifications.ts';
import { openWallet } from './open-wallet.ts';
import { paymentReturnRoutes } from './payment-return-routes.ts';
import { invoiceProcess } from './process.ts';
import { walletRoutes } from './routes.ts';

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
