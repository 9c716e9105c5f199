import type { BankResponse } from '../../../platform/bank/bank.ts';

/** What an invoice says of itself from its first day; a response is held against it. */
export interface InvoiceTerms {
  number: string;
  amountMinor: number;
  currency: string;
}

export type MismatchField = 'invoice' | 'amount' | 'currency' | 'terminal' | 'reference';

export type Verdict =
  /** Not paid and not refused yet. */
  | { kind: 'pending' }
  | { kind: 'failed' }
  /** Paid, and it is this invoice, this amount, this currency and our terminal. */
  | { kind: 'paid'; reference: string }
  /** Settled, but something other than what we asked for: nothing may rest on it. */
  | { kind: 'mismatch'; fields: MismatchField[] };

/**
 * Compares the bank's response with the invoice it was asked about (decisions.md §5). A payment without a name of the bank's own
 * cannot be traced and counts as a mismatch; so does a refusal that speaks of another invoice.
 * @param terminal ours, as configured
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

/** The name of a payment as we keep it: one word of visible characters. */
function isReference(text: string): boolean {
  return /^[\x21-\x7e]{1,100}$/.test(text);
}
