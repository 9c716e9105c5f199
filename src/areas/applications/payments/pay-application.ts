import type { CommandContext } from '../../../platform/commands/context.ts';
import { payFromWallet } from '../../wallet/index.ts';
import { approveWhenReady } from '../approve-application.ts';
import { recordStep, markChanged } from '../command-parts.ts';
import { requireOwner, requireOpen } from '../policy.ts';
import { lockApplicationAndWallet } from '../queries.ts';
import { isSettled } from '../readiness/readiness.ts';
import type { ApplicationRecord } from '../record.ts';
import { isPaid, transition } from '../states.ts';

/**
 * Pays a submitted application from its owner's wallet, once (WAL-12).
 *
 * Approves a national certificate or a fee in the same transaction when it is ready (APP-5).
 * @throws {DomainError} not_found, invalid_state, insufficient_funds `{balance_minor, amount_minor}`
 */
export async function payApplication(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  const locked = await lockApplicationAndWallet(ctx, id);
  const { application, wallet } = locked;
  requireOwner(ctx.actor, application);
  if (isSettled({ isPaid: isPaid(application), amountMinor: application.amountMinor })) return locked;
  transition(application, 'pay', payRefusal[application.status]);
  requireOpen(ctx, locked);
  const { amountMinor, kind: serviceKind } = application;
  const transactionId = await payFromWallet(ctx, { wallet, amountMinor, applicationId: id, serviceKind });
  locked.balanceMinor = wallet.balanceMinor;
  application.paid = true;
  application.paidAt = ctx.now;
  application.paymentTransactionId = transactionId;
  markChanged(ctx, application);
  await recordStep(ctx, locked, 'paid', { amount_minor: amountMinor, transaction_id: transactionId });
  return approveWhenReady(ctx, locked);
}

const payRefusal: Partial<Record<string, string>> = {
  draft: 'Submit the application before you pay it.',
  changes: 'Correct and resubmit the application before you pay it.',
};
