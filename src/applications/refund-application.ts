import { notify } from '../notifications/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { reverseTransaction } from '../wallet/index.ts';
import type { LockedApplication } from './lock-application.ts';
import { applicationNotifications } from './notifications.ts';
import { recordStep } from './record-step.ts';

/**
 * Puts what was paid for an application back into its owner's wallet, once. The caller holds the locks of the wallet and of
 * the application, in this order.
 * @param reason in words, shown in the ledger
 */
export async function refundApplication(ctx: CommandContext, locked: LockedApplication, reason: string): Promise<void> {
  const { application } = locked;
  if (application.paymentTransactionId === null || application.refundTransactionId !== null) return;
  const transactionId = await reverseTransaction(ctx, {
    transactionId: application.paymentTransactionId,
    reason,
    type: 'application_refund',
  });
  application.refundTransactionId = transactionId;
  locked.balanceMinor += application.amountMinor;
  const subject = { kind: 'application', id: application.id };
  await recordStep(ctx, locked, 'refunded', { amount_minor: application.amountMinor, transaction_id: transactionId });
  await notify(ctx, application.ownerId, applicationNotifications['application.refunded'], subject, {
    amount_minor: application.amountMinor,
  });
}
