import type { BankAnswer } from '../platform/bank/bank.ts';

/** What an invoice says of itself from its first day; an answer is held against it. */
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
 * Compares the bank's word with the invoice it was asked about (decisions.md §5). A payment without a name of the bank's own
 * cannot be traced and counts as a mismatch; so does a refusal that speaks of another invoice.
 * @param terminal ours, as configured
 */
export function judgeBankAnswer(invoice: InvoiceTerms, terminal: string, answer: BankAnswer): Verdict {
  if (answer.state === 'pending') return { kind: 'pending' };
  const fields: MismatchField[] = [];
  if (answer.invoiceNumber !== invoice.number) fields.push('invoice');
  if (answer.amountMinor !== invoice.amountMinor) fields.push('amount');
  if (answer.currency !== invoice.currency) fields.push('currency');
  if (answer.terminal !== terminal) fields.push('terminal');
  if (answer.state === 'failed') return fields.length > 0 ? { kind: 'mismatch', fields } : { kind: 'failed' };
  const reference = answer.reference !== null && isReference(answer.reference) ? answer.reference : null;
  if (reference === null) fields.push('reference');
  return reference === null || fields.length > 0 ? { kind: 'mismatch', fields } : { kind: 'paid', reference };
}

/** The name of a payment as we keep it: one word of visible characters. */
function isReference(text: string): boolean {
  return /^[\x21-\x7e]{1,100}$/.test(text);
}
