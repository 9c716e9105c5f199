import { createHmac, timingSafeEqual } from 'node:crypto';

/** An invoice as the bank receives it; amounts in tiyn. */
export type BankInvoice = { number: string; amountMinor: number; currency: 'KZT' };

/** Target and fields of an HTML form that the payer's browser posts. */
export type CheckoutForm = { action: string; method: 'POST'; fields: Record<string, string> };

/**
 * The bank's unmodified response about an invoice. The domain compares invoice, amount, currency and terminal with the query (`mismatch`).
 */
export type BankResponse = {
  state: 'pending' | 'paid' | 'failed';
  invoiceNumber: string;
  /** tiyn */
  amountMinor: number;
  currency: string;
  terminal: string;
  /** the bank's id of the payment */
  reference: string | null;
  /** RFC 3339 with offset */
  paidAt: string | null;
};

/** The bank: a payment form and a payment status query. */
export interface Bank {
  /** false when no bank is configured; routes then answer 503 `bank_unavailable` */
  readonly enabled: boolean;
  /** our terminal at the bank, to compare with what a response names; empty when disabled */
  readonly terminal: string;
  /** @throws {BankUnavailableError} when no bank is configured */
  checkout(invoice: BankInvoice & { callbackUrl: string; returnUrl: string }): CheckoutForm;
  /** @throws {BankUnavailableError} without a readable response */
  queryStatus(invoice: BankInvoice): Promise<BankResponse>;
  /** Connects to the bank without a query; any HTTP answer is good. @throws {BankUnavailableError} */
  check(): Promise<void>;
}

/** The bank gave no readable response. The message has no secret and no address. */
export class BankUnavailableError extends Error {
  /** whether a later retry can help */
  readonly retryable: boolean;
  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BankUnavailableError';
    this.retryable = options.retryable ?? true;
  }
}

/** Used without `BANK_URL`. */
export const disabledBank: Bank = {
  enabled: false,
  terminal: '',
  checkout() {
    throw new BankUnavailableError('no bank is configured', { retryable: false });
  },
  queryStatus() {
    return Promise.reject(new BankUnavailableError('no bank is configured', { retryable: false }));
  },
  check() {
    return Promise.reject(new BankUnavailableError('no bank is configured', { retryable: false }));
  },
};

/**
 * Returns the canonical form of fields: sorted by name and URL-encoded, without `signature`. The order in which a browser or proxy sends
 * them does not matter.
 */
function canonicalFields(fields: Readonly<Record<string, string>>): string {
  const signed = Object.entries(fields).filter(([name]) => name !== 'signature');
  signed.sort(([left], [right]) => (left < right ? -1 : 1));
  return new URLSearchParams(signed).toString();
}

/** Returns the HMAC-SHA256 (hex) of the canonical form with the secret shared with the bank. */
export function signFields(fields: Readonly<Record<string, string>>, secret: string): string {
  return createHmac('sha256', secret).update(canonicalFields(fields)).digest('hex');
}

/** Returns whether `fields.signature` is correct; compares in constant time. */
export function hasValidSignature(fields: Readonly<Record<string, string>>, secret: string): boolean {
  const given = Buffer.from(fields['signature'] ?? '', 'utf8');
  const expected = Buffer.from(signFields(fields, secret), 'utf8');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
