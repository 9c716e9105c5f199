export type InvoiceStatus = 'created' | 'pending' | 'paid' | 'failed' | 'expired' | 'mismatch';
export type LedgerTransactionType = 'invoice_payment' | 'application_payment' | 'application_refund' | 'correction' | 'reversal';
