import { walletAccount } from '../accounts.ts';
import type { Leg } from './post-transaction.ts';

/** `credit` puts money into a wallet, `debit` takes it out. */
export const correctionDirections = ['credit', 'debit'] as const;
export type CorrectionDirection = (typeof correctionDirections)[number];

/** The change that a correction makes to a wallet. */
export interface CorrectedWallet {
  userId: number;
  /** Tiyn, above zero. */
  amountMinor: number;
  direction: CorrectionDirection;
}

/** Builds the two legs of a correction: the wallet against the federation's adjustments (WAL-1). */
export function correctionLegs({ userId, amountMinor, direction }: CorrectedWallet): [wallet: Leg, adjustments: Leg] {
  const change = direction === 'credit' ? amountMinor : -amountMinor;
  return [
    { account: walletAccount(userId), amountMinor: change },
    { account: 'adjustments', amountMinor: -change },
  ];
}
