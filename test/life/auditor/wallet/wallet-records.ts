export interface Invoice {
  id: number;
  ownerId: number;
  amount: number;
  number: string;
  status: 'created' | 'pending' | 'paid' | 'failed' | 'expired' | 'mismatch';
  expiresAt: Date;
  isCredited: boolean;
  /** The form of the bank was opened: from then on the bank is asked (WAL-7). */
  isCheckedOut: boolean;
  /** Outcome of its payment at the bank; null before a payment. */
  bankSays: string | null;
  /** Each outcome, with its time. */
  bankSaid: { outcome: string; at: Date }[];
  /** Questions that the bank was told not to answer. */
  unanswered: number;
}

/** A transaction of a wallet; the amount is negative for what was taken out. */
export interface LedgerEntry {
  id: number;
  type: string;
  ownerId: number | null;
  amount: number;
  applicationId: number | null;
  invoiceId: number | null;
  reversalOf: number | null;
  reversedBy: number | null;
}
