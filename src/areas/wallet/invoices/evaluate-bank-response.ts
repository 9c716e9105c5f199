import type { BankResponse } from '../../../platform/bank/bank.ts';

/** Immutable terms of an invoice, with which a response is compared. */
export interface InvoiceTerms {
  number: string;
  amountMinor: number;
  currency: string;
}

export type MismatchField = 'invoice' | 'amount' | 'currency' | 'terminal' | 'reference';

export type Verdict =
  /** Neither paid nor refused yet. */
  | { kind: 'pending' }
  | { kind: 'failed' }
  /** Paid; invoice, amount, currency and terminal match. */
  | { kind: 'paid'; reference: string }
  /** Paid or refused, but the response does not match the invoice. */
  | { kind: 'mismatch'; fields: MismatchField[] };

/**
 * Compares the bank's response with the invoice (WAL-5, WAL-6). A payment without a bank reference cannot be traced, so it is a
 * mismatch; so is a refusal of another invoice.
 * @param terminal the configured terminal
 */
export function evaluateBankResponse(invoice: InvoiceTerms, terminal: string, response: BankResponse): Verdict {
  if (response.state === 'pending') return { kind: 'pending' };
  const fields: MismatchField[] = [];
  if (response.invoiceNumber !== invoice.number) fields.push('invoice');
  if (response.amountMinor !== invoice.amountMinor) fields.push('amount');
  if (response.currency !== invoice.currency) fields.push('currency');
  if (response.terminal !== terminal) fields.push('terminal');
  if (response.state === 'failed') return fields.length > 0 ? { kind: 'mismatch', fields } : { kind: 'failed' };
  const reference = response.reference !== null && isReference(response.reference) ? response.reference : null;
  if (reference === null) fields.push('reference');
  return reference === null || fields.length > 0 ? { kind: 'mismatch', fields } : { kind: 'paid', reference };
}

/** Whether a text can be stored as a bank reference: one word of visible characters. */
function isReference(text: string): boolean {
  return /^[\x21-\x7e]{1,100}$/.test(text);
}
