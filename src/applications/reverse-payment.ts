import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import type { ReversibleMovement } from '../wallet/index.ts';
import { lockApplicationAndWallet, markChanged } from './lock-application.ts';
import type { LockedWithWallet } from './lock-application.ts';
import { refundApplication } from './refund-application.ts';
import { isLiving } from './states.ts';

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
