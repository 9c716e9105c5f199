import { type Bank, disabledBank } from './bank.ts';
import { createHttpBank } from './http-bank.ts';

/** `BANK_URL`, `BANK_FORM_URL`, `BANK_TERMINAL`, `BANK_SECRET`, `BANK_TIMEOUT_SECONDS` of decisions.md §10. */
export type BankOptions = {
  url?: string | undefined;
  formUrl?: string | undefined;
  terminal?: string | undefined;
  secret?: string | undefined;
  timeoutMs: number;
  now?: () => number;
};

/**
 * The configured bank, or {@link disabledBank} when there is no address.
 * @throws {TypeError} when an address is given without a terminal or a secret.
 */
export function createBank(options: BankOptions): Bank {
  const { url, formUrl, terminal, secret, timeoutMs, now } = options;
  if (!url) return disabledBank;
  if (!terminal || !secret) throw new TypeError('a bank needs its terminal and its secret');
  return createHttpBank({ url, formUrl, terminal, secret, timeoutMs, ...(now && { now }) });
}
