import type { CommandContext } from '../../../platform/commands/context.ts';
import type { ServiceKind } from '../../catalog/index.ts';
import { earningAccount, walletAccount } from '../entities.ts';
import type { LockedWallet } from './lock-wallet.ts';
import { postTransaction } from './post-transaction.ts';

export interface ApplicationPayment {
  /** The payer's locked wallet: of two concurrent payments the later one sees the first. */
  wallet: LockedWallet;
  amountMinor: number;
  applicationId: number;
  serviceKind: ServiceKind;
}

/**
 * Pays an application from a wallet (WAL-12): charges it once, and again only after a refund.
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

/** Finds the payment in force, or the number of the next one. A second payment, after a refund, is rare. */
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
