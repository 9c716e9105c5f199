import { walletAccount } from '../accounts.ts';
import type { Leg } from './post-transaction.ts';

/** `credit` puts money into a wallet, `debit` takes it out. */
export const correctionDirections = ['credit', 'debit'] as const;
export type CorrectionDirection = (typeof correctionDirections)[number];

/** What a correction moves. */
export interface CorrectedWallet {
  userId: number;
  /** Tiyn, above zero. */
  amountMinor: number;
  direction: CorrectionDirection;
}

/** The two legs of a correction: the federation's account of adjustments stands against the wallet (decisions.md §5). */
export function correctionLegs({ userId, amountMinor, direction }: CorrectedWallet): [wallet: Leg, adjustments: Leg] {
  const change = direction === 'credit' ? amountMinor : -amountMinor;
  return [
    { account: walletAccount(userId), amountMinor: change },
    { account: 'adjustments', amountMinor: -change },
  ];
}
