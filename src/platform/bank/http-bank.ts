import { z } from 'zod';
import { errorName } from '../logging/error-code.ts';
import { withoutTrailing } from '../text.ts';
import { type Bank, type BankResponse, BankUnavailableError, disabledBank, signFields } from './bank.ts';

/** Address of the bank and our identity there. */
export type HttpBankOptions = {
  url: string;
  /** address of the payment form for browsers; by default `{url}/pay` */
  formUrl?: string | undefined;
  terminal: string;
  secret: string;
  /** time limit of one query with its body, milliseconds */
  timeoutMs: number;
  /** milliseconds since the epoch; by default the system clock */
  now?: () => number;
};

/** Real responses have a few hundred bytes. */
const responseLimitBytes = 64 * 1024;

const statusSchema = z.object({
  state: z.enum(['pending', 'paid', 'failed']),
  invoice_number: z.string().max(64),
  amount_minor: z.int().nonnegative(),
  currency: z.string().max(8),
  terminal: z.string().max(64),
  reference: z.string().max(128).nullable(),
  paid_at: z.iso.datetime({ offset: true }).nullable(),
});

/**
 * Creates the bank over HTTP: a signed form posted to `{url}/pay` (or `formUrl`), and
 * `GET {url}/status/{number}?terminal&amount&currency&ts&signature`. The signature is an HMAC-SHA256 of the sorted query and the invoice's
 * number.
 */
function createHttpBank(options: HttpBankOptions): Bank {
  const base = withoutTrailing(options.url, '/');
  const now = options.now ?? Date.now;
  const { terminal, secret } = options;

  return {
    enabled: true,
    terminal,

    checkout(invoice) {
      const fields: Record<string, string> = {
        terminal,
        invoice: invoice.number,
        amount: String(invoice.amountMinor),
        currency: invoice.currency,
        callback_url: invoice.callbackUrl,
        return_url: invoice.returnUrl,
        ts: String(now()),
      };
      return { action: options.formUrl ?? `${base}/pay`, method: 'POST', fields: { ...fields, signature: signFields(fields, secret) } };
    },

    async queryStatus(invoice) {
      const query: Record<string, string> = {
        terminal,
        amount: String(invoice.amountMinor),
        currency: invoice.currency,
        ts: String(now()),
      };
      // The signature covers the number in the path, so that it is valid for this invoice only.
      const signature = signFields({ ...query, invoice: invoice.number }, secret);
      const address = `${base}/status/${encodeURIComponent(invoice.number)}?${new URLSearchParams({ ...query, signature }).toString()}`;
      const body = await fetchStatus(address, options.timeoutMs);
      return parseStatus(body);
    },

    async check() {
      try {
        const response = await fetch(base, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(options.timeoutMs) });
        await response.body?.cancel();
      } catch (error) {
        throw unreachable(error, options.timeoutMs);
      }
    },
  };
}

async function fetchStatus(address: string, timeoutMs: number): Promise<string> {
  let response: Response;
  try {
    // A redirect could send the signed query to another host.
    response = await fetch(address, { redirect: 'error', headers: { accept: 'application/json' }, signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 200) return await readLimited(response);
    await response.body?.cancel();
  } catch (error) {
    if (error instanceof BankUnavailableError) throw error;
    throw unreachable(error, timeoutMs);
  }
  throw new BankUnavailableError(`the bank answered with status ${response.status}`);
}

function unreachable(error: unknown, timeoutMs: number): BankUnavailableError {
  const isLate = errorName(error) === 'TimeoutError';
  return new BankUnavailableError(isLate ? `the bank did not answer within ${timeoutMs} ms` : 'the bank cannot be reached', {
    cause: error,
  });
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > responseLimitBytes) throw new BankUnavailableError("the bank's response is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseStatus(body: string): BankResponse {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    throw new BankUnavailableError("the bank's response is not JSON", { cause: error });
  }
  const parsed = statusSchema.safeParse(json);
  if (!parsed.success) {
    const fields = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))].join(', ');
    throw new BankUnavailableError(`the bank's response cannot be read: ${fields || 'not an object'}`);
  }
  const status = parsed.data;
  return {
    state: status.state,
    invoiceNumber: status.invoice_number,
    amountMinor: status.amount_minor,
    currency: status.currency,
    terminal: status.terminal,
    reference: status.reference,
    paidAt: status.paid_at,
  };
}

/** `BANK_URL`, `BANK_FORM_URL`, `BANK_TERMINAL`, `BANK_SECRET`, `BANK_TIMEOUT_SECONDS`. */
export type BankOptions = {
  url?: string | undefined;
  formUrl?: string | undefined;
  terminal?: string | undefined;
  secret?: string | undefined;
  timeoutMs: number;
  now?: () => number;
};

/**
 * Returns the configured bank, or {@link disabledBank} without an address.
 * @throws {TypeError} when the address has no terminal or secret
 */
export function createBank(options: BankOptions): Bank {
  const { url, formUrl, terminal, secret, timeoutMs, now } = options;
  if (!url) return disabledBank;
  if (!terminal || !secret) throw new TypeError('BANK_URL requires BANK_TERMINAL and BANK_SECRET');
  return createHttpBank({ url, formUrl, terminal, secret, timeoutMs, ...(now && { now }) });
}
