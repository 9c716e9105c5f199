import type { InvoiceStatus } from './states.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long an invoice stays open (WAL-3). */
export const invoiceLifetimeMs = day;
/** How long after `expires_at` the bank is asked for late money (WAL-7). */
const lateMoneyMs = 7 * day;
/** Minimum pause between two queries about one invoice (WAL-13): a flood of callbacks must not reach the bank. */
export const questionPauseMs = 5 * second;
/** Retry interval of a query that a hint caused and that had no response. */
const unansweredHintMs = minute;

/** Intervals between queries after a checkout (WAL-7); the last one repeats. */
const growingMs = [5 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour];

/** Why the bank is asked: by plan, because of a callback, or on request (`owner`, administrators included). */
export type QueryCause = 'plan' | 'hint' | 'owner';

interface QueryState {
  /** Status after the query. */
  status: InvoiceStatus;
  /** Planned queries since the last checkout, the current one included. */
  asked: number;
  expiresAt: Date;
}

/** The end of planned queries; later money is found only when the owner or an administrator has the bank asked. */
function lateMoneyUntil(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + lateMoneyMs);
}

/**
 * Plans the next query after one made at `now` (WAL-7).
 * @param hasResponse false when the bank did not respond: late money is then asked for in an hour, not in a day
 * @returns null when no planned query is left
 */
export function nextPaymentQueryAt(state: QueryState, now: Date, hasResponse: boolean): Date | null {
  switch (state.status) {
    case 'created':
      // Payment is impossible before the checkout.
      return state.expiresAt;
    case 'pending':
      return earlier(now.getTime() + (growingMs[Math.max(0, state.asked - 1)] ?? hour), state.expiresAt);
    case 'failed':
    case 'expired': {
      const last = lateMoneyUntil(state.expiresAt);
      return now >= last ? null : earlier(now.getTime() + (hasResponse ? day : hour), last);
    }
    case 'paid':
    case 'mismatch':
      return null;
  }
}

/** Plans the first query after a checkout. */
export function firstPaymentQueryAt(expiresAt: Date, now: Date): Date {
  return earlier(now.getTime() + (growingMs[0] ?? second), expiresAt);
}

/** Whether the next planned query is due. */
export function isQueryDue({ nextAskAt }: { nextAskAt: Date | null }, now: Date): boolean {
  return nextAskAt !== null && nextAskAt <= now;
}

/** The end of the pause after the last query (WAL-13); null when there was no query. */
export function askableAt({ lastAskedAt }: { lastAskedAt: Date | null }): Date | null {
  return lastAskedAt && new Date(lastAskedAt.getTime() + questionPauseMs);
}

/** Whether the bank has responded to the last query. */
export function isAnswered({ lastAskedAt, lastAnsweredAt }: { lastAskedAt: Date | null; lastAnsweredAt: Date | null }): boolean {
  return lastAskedAt === null || (lastAnsweredAt !== null && lastAnsweredAt >= lastAskedAt);
}

/**
 * Plans the query that a callback causes: now, or at the end of the pause after the last query. A query in progress may have
 * missed the event of the callback, so another one follows.
 * @returns null when the callback changes nothing: no queries are left, or an equally early one is planned
 */
export function hintedQueryAt(invoice: { lastAskedAt: Date | null; nextAskAt: Date | null }, now: Date): Date | null {
  const { lastAskedAt, nextAskAt } = invoice;
  if (nextAskAt === null) return null;
  const freeAt = askableAt(invoice);
  const at = freeAt !== null && freeAt > now ? freeAt : now;
  const isUnderWay = lastAskedAt !== null && nextAskAt <= lastAskedAt;
  return nextAskAt > at || isUnderWay ? at : null;
}

/** Plans the retry of a hinted query that had no response. */
export function unansweredHintAt(now: Date): Date {
  return new Date(now.getTime() + unansweredHintMs);
}

export function soonestQueryAt(next: Date, other: Date | null): Date {
  return other !== null && other < next ? other : next;
}

function earlier(time: number, limit: Date): Date {
  return new Date(Math.min(time, limit.getTime()));
}
