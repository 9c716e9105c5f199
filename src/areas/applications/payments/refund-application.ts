import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { notify } from '../../notifications/index.ts';
import { reverseTransaction, type ReversibleMovement } from '../../wallet/index.ts';
import { recordStep, markChanged } from '../command-parts.ts';
import { applicationNotifications } from '../notifications.ts';
import { lockApplicationAndWallet, type LockedWithWallet } from '../queries.ts';
import { isLiving } from '../states.ts';

/**
 * Refunds an application once, to the wallet that paid, and notifies that wallet's user (APP-12, OWN-2).
 *
 * The payer may differ from the owner after a transfer. The caller holds the locks of the wallets and the application, in this order.
 * @param reason text for the ledger
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

/**
 * Lets an administrator reverse the payment of an ended application (WAL-11).
 *
 * This also refunds where nothing is refunded automatically, for example after an annulment. A living application must be cancelled
 * first, because an approved one may not become unpaid.
 */
export const paymentReversal: ReversibleMovement = {
  type: 'application_payment',
  async hold(ctx, { applicationId }) {
    if (applicationId === null) throw new Error('a payment of an application has no application id');
    const locked = await lockApplicationAndWallet(ctx, applicationId);
    return { reverse: (reason) => reverse(ctx, locked, reason) };
  },
};

async function reverse(ctx: CommandContext, locked: LockedWithWallet, reason: string): Promise<number> {
  const { id, application } = locked;
  if (isLiving(application.status))
    throw new DomainError(
      'invalid_state',
      { application_id: id, status: application.status },
      'The application is active and needs this payment. Cancel the application first.',
    );
  markChanged(ctx, application);
  await refundApplication(ctx, locked, reason);
  if (application.refundTransactionId === null) throw new Error(`application ${id} has no payment to refund`);
  return application.refundTransactionId;
}
