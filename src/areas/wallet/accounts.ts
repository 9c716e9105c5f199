import type { ServiceKind } from '../catalog/index.ts';

/** An account of the ledger (WAL-1). */
export type LedgerAccount = `wallet:${number}` | 'bank:clearing' | `income:${ServiceKind}` | 'insurance:premium' | 'adjustments';

/** Names the ledger account of a user's wallet. */
export function walletAccount(userId: number): LedgerAccount {
  return `wallet:${userId}`;
}

/** Reads the owner of a wallet account; null for the federation's accounts. */
export function walletOwner(account: string): number | null {
  const [, userId] = /^wallet:([1-9]\d*)$/.exec(account) ?? [];
  return userId === undefined ? null : Number(userId);
}

/** Chooses the account to which the price of a service is booked (WAL-14). */
export function earningAccount(serviceKind: ServiceKind): LedgerAccount {
  return serviceKind === 'national_certificate' ? 'insurance:premium' : `income:${serviceKind}`;
}
