import { walletOwner } from '../accounts.ts';

/** One leg of a booked movement. */
export interface BookedLeg {
  account: string;
  amountMinor: number;
}

/** Whose wallets a movement changed. */
export function movedWallets(legs: readonly BookedLeg[]): number[] {
  return legs.flatMap(({ account }) => walletOwner(account) ?? []);
}

/**
 * Whose wallet a movement changed and by how much, tiyn; negative: taken from it. Where it changed none, nobody's and what was moved between the
 * federation's accounts.
 */
export function movedWallet(legs: readonly BookedLeg[]): { userId: number | null; amountMinor: number } {
  const [userId = null] = movedWallets(legs);
  const counted = legs.filter((leg) => (userId === null ? leg.amountMinor > 0 : walletOwner(leg.account) === userId));
  return { userId, amountMinor: counted.reduce((sum, leg) => sum + leg.amountMinor, 0) };
}
