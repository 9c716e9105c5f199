import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { notify } from '../../notifications/index.ts';
import { reverseTransaction, type ReversibleMovement } from '../../wallet/index.ts';
import { lockApplicationAndWallet, type LockedWithWallet, markChanged } from '../lock-application.ts';
import { applicationNotifications } from '../notifications.ts';
import { recordStep } from '../record-step.ts';
import { isLiving } from '../states.ts';

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

/**
 * An administrator reverses the payment of an application in the ledger. Of one that is over this is its refund, also where nothing went back by
 * itself: after an annulment, or when an issued certificate's year had ended. One that lives stands on its payment and has to be cancelled
 * first, since nothing that was approved may be left unpaid.
 */
export const paymentReversal: ReversibleMovement = {
  type: 'application_payment',
  async hold(ctx, { applicationId }) {
    if (applicationId === null) throw new Error('a payment of an application names it');
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
      'The application lives and stands on this payment; it has to be cancelled first.',
    );
  markChanged(ctx, application);
  await refundApplication(ctx, locked, reason);
  if (application.refundTransactionId === null) throw new Error(`application ${id} names no payment that could be refunded`);
  return application.refundTransactionId;
}
