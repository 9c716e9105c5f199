import { notify } from '../notifications/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { reverseTransaction } from '../wallet/index.ts';
import type { LockedWithWallet } from './lock-application.ts';
import { applicationNotifications } from './notifications.ts';
import { recordStep } from './record-step.ts';

/**
 * Puts what was paid for an application back into the wallet that paid, once, and tells whose it is: since then the application may have
 * gone to another owner with its profile (decisions.md §9). The caller holds the locks of the wallets and of the application, in this order.
 * @param reason in words, shown in the ledger
 */
export async function refundApplication(ctx: CommandContext, locked: LockedWithWallet, reason: string): Promise<void> {
  const { application } = locked;
  if (application.paymentTransactionId === null || application.refundTransactionId !== null) return;
  const transactionId = await reverseTransaction(ctx, {
    transactionId: application.paymentTransactionId,
    reason,
    type: 'application_refund',
  });
  application.refundTransactionId = transactionId;
  const payerId = locked.payerId ?? application.ownerId;
  if (payerId === application.ownerId) locked.balanceMinor += application.amountMinor;
  const subject = { kind: 'application', id: application.id };
  await recordStep(ctx, locked, 'refunded', { amount_minor: application.amountMinor, transaction_id: transactionId });
  await notify(ctx, payerId, applicationNotifications['application.refunded'], subject, { amount_minor: application.amountMinor });
}
