import { walletOwner } from '../accounts.ts';

/** One leg of a booked transaction. */
export interface BookedLeg {
  account: string;
  amountMinor: number;
}

/** Lists the owners of the wallets that a transaction changed. */
export function movedWallets(legs: readonly BookedLeg[]): number[] {
  return legs.flatMap(({ account }) => walletOwner(account) ?? []);
}

/**
 * Finds the wallet that a transaction changed and by how much, tiyn; negative means taken out. Without a wallet: null and the
 * amount moved between the federation's accounts.
 */
export function movedWallet(legs: readonly BookedLeg[]): { userId: number | null; amountMinor: number } {
  const [userId = null] = movedWallets(legs);
  const counted = legs.filter((leg) => (userId === null ? leg.amountMinor > 0 : walletOwner(leg.account) === userId));
  return { userId, amountMinor: counted.reduce((sum, leg) => sum + leg.amountMinor, 0) };
}
