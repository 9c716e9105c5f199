/** An invoice as sent to the bank; amounts in tiyn. */
export type BankInvoice = { number: string; amountMinor: number; currency: 'KZT' };

/** An HTML form's target and fields; the payer's browser posts it as it is. */
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
  /** the bank's own name of the payment */
  reference: string | null;
  /** RFC 3339 with offset */
  paidAt: string | null;
};

/** The bank as the service needs it: a form to pay by, and a payment status query. */
export interface Bank {
  /** false when no bank is configured; routes then answer 503 `bank_unavailable` */
  readonly enabled: boolean;
  /** our terminal at the bank, to compare with what a response names; empty when disabled */
  readonly terminal: string;
  /** @throws {BankUnavailableError} when no bank is configured. */
  checkout(invoice: BankInvoice & { callbackUrl: string; returnUrl: string }): CheckoutForm;
  /** @throws {BankUnavailableError} when there is no response that can be read. */
  queryStatus(invoice: BankInvoice): Promise<BankResponse>;
  /** Connects to the bank without a query; any HTTP answer is good. @throws {BankUnavailableError} */
  check(): Promise<void>;
}

/** There is no response from the bank, or none that can be read; the message holds no secret and no address. */
export class BankUnavailableError extends Error {
  /** whether asking again later can help (a bank that is not configured stays so) */
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
