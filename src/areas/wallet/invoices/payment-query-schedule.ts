import type { InvoiceStatus } from './states.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long an invoice can be paid by its form (decisions.md §5). */
export const invoiceLifetimeMs = day;
/** How long after that the bank is still asked for late money. */
const lateMoneyMs = 7 * day;
/** Between two payment status queries about one invoice there is at least this, whoever wants to know: a flood of callbacks is not the bank's. */
export const questionPauseMs = 5 * second;
/** A hint that the bank did not respond to is followed again after this, until it does. */
const unansweredHintMs = minute;

/** Waits between the payment status queries about an invoice whose form is out, the last one over and over. */
const growingMs = [5 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour];

/** Why the bank is asked: its time has come, a callback hinted that something happened, the owner wants to know. */
export type QueryCause = 'plan' | 'hint' | 'owner';

export interface QueryState {
  /** As it stands after the query. */
  status: InvoiceStatus;
  /** Planned queries since the form was last given out, the one just made included. */
  asked: number;
  expiresAt: Date;
}

/** Until this instant the bank is asked by plan; what comes later is found when somebody asks. */
export function lateMoneyUntil(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + lateMoneyMs);
}

/**
 * When the bank is to be asked next, after a payment status query made at `now`: at growing intervals until the invoice runs out, once
 * more at that very instant, then once a day for late money, never again after seven days (decisions.md §5).
 * @param hasResponse false when the bank was away: late money is then asked for again in an hour, not in a day
 * @returns null when there is nothing left to ask by plan
 */
export function nextPaymentQueryAt(state: QueryState, now: Date, hasResponse: boolean): Date | null {
  switch (state.status) {
    case 'created':
      // Nobody can pay before the form is given out.
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

/** When the bank is asked first, once the payer has the form. */
export function firstPaymentQueryAt(expiresAt: Date, now: Date): Date {
  return earlier(now.getTime() + (growingMs[0] ?? second), expiresAt);
}

/** Whether the planned time of the next payment status query has come. */
export function isQueryDue({ nextAskAt }: { nextAskAt: Date | null }, now: Date): boolean {
  return nextAskAt !== null && nextAskAt <= now;
}

/** From when on the bank may be asked about an invoice again; null when it never was. */
export function askableAt({ lastAskedAt }: { lastAskedAt: Date | null }): Date | null {
  return lastAskedAt && new Date(lastAskedAt.getTime() + questionPauseMs);
}

/** Whether the bank has responded to the last question. */
export function isAnswered({ lastAskedAt, lastAnsweredAt }: { lastAskedAt: Date | null; lastAnsweredAt: Date | null }): boolean {
  return lastAskedAt === null || (lastAnsweredAt !== null && lastAnsweredAt >= lastAskedAt);
}

/**
 * When the bank is to be asked because of a callback: now, or when the pause after the last query is over; a query that is under way
 * may have missed what the callback is about, and another follows it.
 * @returns null when the callback changes nothing: the bank is not asked about the invoice any more, or will be asked by then anyway
 */
export function hintedQueryAt(invoice: { lastAskedAt: Date | null; nextAskAt: Date | null }, now: Date): Date | null {
  const { lastAskedAt, nextAskAt } = invoice;
  if (nextAskAt === null) return null;
  const freeAt = askableAt(invoice);
  const at = freeAt !== null && freeAt > now ? freeAt : now;
  const isUnderWay = lastAskedAt !== null && nextAskAt <= lastAskedAt;
  return nextAskAt > at || isUnderWay ? at : null;
}

/** When a hint is followed again that the bank did not respond to. */
export function unansweredHintAt(now: Date): Date {
  return new Date(now.getTime() + unansweredHintMs);
}

export function soonestQueryAt(next: Date, other: Date | null): Date {
  return other !== null && other < next ? other : next;
}

function earlier(time: number, limit: Date): Date {
  return new Date(Math.min(time, limit.getTime()));
}
