import type { CommandContext } from '../../../platform/context.ts';
import type { ServiceKind } from '../../catalog/index.ts';
import { earningAccount, walletAccount } from '../accounts.ts';
import type { LockedWallet } from './lock-wallet.ts';
import { postTransaction } from './post-transaction.ts';

export interface ApplicationPayment {
  /** The payer's, locked: of two payments at once the later one sees the first. */
  wallet: LockedWallet;
  amountMinor: number;
  applicationId: number;
  serviceKind: ServiceKind;
}

/**
 * Pays for an application from a wallet (service.md "Application" pay). An application has one payment that stands: asked
 * again it is not charged again, after a refund it can be paid anew.
 * @returns id of the ledger transaction
 * @throws {DomainError} insufficient_funds `{balance_minor, amount_minor}`
 */
export async function payFromWallet(ctx: CommandContext, input: ApplicationPayment): Promise<number> {
  const { wallet, amountMinor, applicationId } = input;
  const turn = await findTurn(ctx, applicationId);
  if (turn.standingId !== null) return turn.standingId;
  const { id } = await postTransaction(ctx, {
    type: 'application_payment',
    reference: referenceOf(applicationId, turn.number),
    legs: [
      { account: walletAccount(wallet.userId), amountMinor: -amountMinor },
      { account: earningAccount(input.serviceKind), amountMinor },
    ],
    held: [wallet],
    applicationId,
  });
  return id;
}

/** The payment that stands, or the number of the next one: each is looked up by its reference, one after a refund being the rare case. */
async function findTurn(ctx: CommandContext, applicationId: number): Promise<{ number: number; standingId: number | null }> {
  for (let number = 1; ; number += 1) {
    const payment = await ctx.db
      .selectFrom('ledger_transactions as t')
      .select((eb) => [
        't.id',
        eb.exists(eb.selectFrom('ledger_transactions as r').select('r.id').whereRef('r.reversalOf', '=', 't.id')).as('isReversed'),
      ])
      .where('t.reference', '=', referenceOf(applicationId, number))
      .executeTakeFirst();
    if (!payment) return { number, standingId: null };
    if (!payment.isReversed) return { number, standingId: payment.id };
  }
}

function referenceOf(applicationId: number, number: number): string {
  return `application:${applicationId}:payment:${number}`;
}
