import { audit } from '../administration/audit.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { reverseTransaction } from '../wallet/index.ts';
import type { Application } from './entities.ts';

/**
 * Puts what was paid for an application back into its owner's wallet, once. The caller holds the locks of the wallet and of
 * the application, in this order.
 * @param reason in words, shown in the ledger
 */
export async function refundApplication(ctx: CommandContext, application: Application, reason: string): Promise<void> {
  if (application.paymentTransactionId === null || application.refundTransactionId !== null) return;
  const transactionId = await reverseTransaction(ctx, {
    transactionId: application.paymentTransactionId,
    reason,
    type: 'application_refund',
  });
  application.refundTransactionId = transactionId;
  const subject = { kind: 'application', id: application.id };
  audit(ctx, 'application.refunded', subject, { amount_minor: application.amountMinor, transaction_id: transactionId });
  notify(ctx, application.ownerId, 'application.refunded', subject, { amount_minor: application.amountMinor });
}
