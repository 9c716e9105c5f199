/** Who sends a request. */
export interface Caller {
  name: string;
  /** The account whose records it reaches; 0 without a login. */
  accountId: number;
  /** The administrator who impersonates the account; null for the holder. */
  administratorId: number | null;
  /** Of a program's key; null for a browser session. */
  scopes: readonly string[] | null;
  /** The key, or the cookie of the browser session; null without either. */
  credential?: string | null;
}

export interface SentFile {
  sha256: string;
  /** Of a PDF, where its sender says so. */
  pages: number | null;
}

/** The session of a browser, by its cookie; null without one. */
export function cookieIn(cookies: string): string | null {
  return /registry_session=([^;]+)/.exec(cookies)?.[1] ?? null;
}

/** The session that an answer gives to a browser; null when it keeps its own. */
export function cookieOf({ headers }: Pick<Exchange, 'headers'>): string | null {
  return cookieIn(headers.getSetCookie().join('; '));
}

/** A request and its answer, as the auditor sees it. */
export interface Exchange {
  /** Method and path as in the OpenAPI document. */
  operation: string;
  by: Caller;
  params: Record<string, number | string>;
  query: string;
  body: unknown;
  /** A sent file; null without one. */
  file: SentFile | null;
  status: number;
  // A clerk reads what is there; each question names the fields that it needs.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  meta: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  error: any;
  headers: Headers;
  requestId: string;
  /** The `Idempotency-Key` that was chosen; null for one that is of this request alone. */
  key: string | null;
  /** Ids of the requests that were sent at once with this one, itself included; none for a request that was sent alone. */
  raced: readonly string[];
  /** The request that this one repeated with its key, by id. */
  repeats?: string;
  bytes: Buffer;
  /** By the registry's clock. */
  at: Date;
}

/** The account that the audit names as the one who acted. */
export const actorOf = ({ accountId, administratorId }: Caller): number => administratorId ?? accountId;
