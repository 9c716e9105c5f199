import type { ServiceKind } from '../catalog/index.ts';

/** An account of the ledger (decisions.md §5 "Double entry"). */
export type LedgerAccount = `wallet:${number}` | 'bank:clearing' | `income:${ServiceKind}` | 'insurance:premium' | 'adjustments';

/** The account of a person's wallet. */
export function walletAccount(userId: number): LedgerAccount {
  return `wallet:${userId}`;
}

/** Whose wallet an account is; null for the federation's own accounts. */
export function walletOwner(account: string): number | null {
  const [, userId] = /^wallet:([1-9]\d*)$/.exec(account) ?? [];
  return userId === undefined ? null : Number(userId);
}

/** Where the price of a service goes: a national certificate's is an insurance premium and nothing else (service.md). */
export function earningAccount(serviceKind: ServiceKind): LedgerAccount {
  return serviceKind === 'national_certificate' ? 'insurance:premium' : `income:${serviceKind}`;
}
