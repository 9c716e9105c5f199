import type { Database } from './database/database.ts';
import { definePoint } from './extensions.ts';

export const erasureBlockerCodes = [
  'money_in_wallet',
  'open_invoice',
  'open_application',
  'open_registration',
  'event_to_come',
  'agreement_in_force',
  'last_administrator',
] as const;

/** Records of an account that prevent its erasure (PRV-4). */
export interface ErasureBlocker {
  code: (typeof erasureBlockerCodes)[number];
  /** Of the records, as in the audit. */
  kind: string;
  /** What ends it, and who can do that. */
  step: string;
  /** Finds the first of the ids, at most `limit`, ascending. Each of its searches reads an index. */
  find(db: Database, userId: number, limit: number): Promise<{ id: number }[]>;
}

export const erasureBlockers = definePoint<ErasureBlocker>('what prevents the erasure of an account');
