import { z } from 'zod';
import { errorName } from '../error-code.ts';
import { type Bank, type BankAnswer, BankUnavailableError } from './bank.ts';
import { signFields } from './signature.ts';

/** Where the bank is and who we are there. */
export type HttpBankOptions = {
  url: string;
  terminal: string;
  secret: string;
  /** milliseconds one question may take, the body included */
  timeoutMs: number;
  /** milliseconds since the epoch; the system's clock unless given */
  now?: () => number;
};

/** An answer is a few hundred bytes: anything longer is not an answer. */
const answerLimitBytes = 64 * 1024;

const answerSchema = z.object({
  state: z.enum(['pending', 'paid', 'failed']),
  invoice_number: z.string().max(64),
  amount_minor: z.int().nonnegative(),
  currency: z.string().max(8),
  terminal: z.string().max(64),
  reference: z.string().max(128).nullable(),
  paid_at: z.iso.datetime({ offset: true }).nullable(),
});

/**
 * The bank over HTTP (decisions.md §10): a signed form posted to `{url}/pay`, and
 * `GET {url}/status/{number}?terminal&amount&currency&ts&signature`, the signature being an HMAC-SHA256 of
 * the sorted query and the invoice's number.
 */
export function createHttpBank(options: HttpBankOptions): Bank {
  const base = options.url.replace(/\/+$/, '');
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
      return { action: `${base}/pay`, method: 'POST', fields: { ...fields, signature: signFields(fields, secret) } };
    },

    async ask(invoice) {
      const query: Record<string, string> = {
        terminal,
        amount: String(invoice.amountMinor),
        currency: invoice.currency,
        ts: String(now()),
      };
      // The number is in the path, yet signed with the rest: a signature for one invoice must not serve for another.
      const signature = signFields({ ...query, invoice: invoice.number }, secret);
      const address = `${base}/status/${encodeURIComponent(invoice.number)}?${new URLSearchParams({ ...query, signature }).toString()}`;
      const body = await fetchAnswer(address, options.timeoutMs);
      return readAnswer(body);
    },
  };
}

async function fetchAnswer(address: string, timeoutMs: number): Promise<string> {
  let response: Response;
  try {
    // A redirect would carry the signed query to whatever host the answer names.
    response = await fetch(address, { redirect: 'error', headers: { accept: 'application/json' }, signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 200) return await readLimited(response);
    await response.body?.cancel();
  } catch (error) {
    if (error instanceof BankUnavailableError) throw error;
    throw new BankUnavailableError(
      errorName(error) === 'TimeoutError' ? `the bank did not answer within ${timeoutMs} ms` : 'the bank cannot be reached',
      { cause: error },
    );
  }
  throw new BankUnavailableError(`the bank answered with status ${response.status}`);
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > answerLimitBytes) throw new BankUnavailableError("the bank's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(body: string): BankAnswer {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    throw new BankUnavailableError("the bank's answer is not JSON", { cause: error });
  }
  const parsed = answerSchema.safeParse(json);
  if (!parsed.success) {
    const fields = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))].join(', ');
    throw new BankUnavailableError(`the bank's answer cannot be read: ${fields || 'not an object'}`);
  }
  const answer = parsed.data;
  return {
    state: answer.state,
    invoiceNumber: answer.invoice_number,
    amountMinor: answer.amount_minor,
    currency: answer.currency,
    terminal: answer.terminal,
    reference: answer.reference,
    paidAt: answer.paid_at,
  };
}
