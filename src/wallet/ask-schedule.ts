import type { InvoiceStatus } from './states.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long an invoice can be paid by its form (decisions.md §5). */
export const invoiceLifetimeMs = day;
/** How long after that the bank is still asked for late money. */
const lateMoneyMs = 7 * day;

/** Waits between the questions about an invoice whose form is out, the last one over and over. */
const growingMs = [5 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour];

export interface AskState {
  /** As it stands after the question. */
  status: InvoiceStatus;
  /** Planned questions since the form was last given out, the one just put included. */
  asked: number;
  expiresAt: Date;
}

/** Until this instant the bank is asked by plan; what comes later is found when somebody asks. */
export function lateMoneyUntil(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + lateMoneyMs);
}

/**
 * When the bank is to be asked next, after a question put at `now`: at growing intervals until the invoice runs out, once
 * more at that very instant, then once a day for late money, never again after seven days (decisions.md §5).
 * @param isAnswered false when the bank was away: late money is then asked for again in an hour, not in a day
 * @returns null when there is nothing left to ask by plan
 */
export function nextQuestionAt(state: AskState, now: Date, isAnswered: boolean): Date | null {
  switch (state.status) {
    case 'created':
    case 'pending':
      return earlier(now.getTime() + (growingMs[Math.max(0, state.asked - 1)] ?? hour), state.expiresAt);
    case 'failed':
    case 'expired': {
      const last = lateMoneyUntil(state.expiresAt);
      return now >= last ? null : earlier(now.getTime() + (isAnswered ? day : hour), last);
    }
    case 'paid':
    case 'mismatch':
      return null;
  }
}

/** When the bank is asked first, once the payer has the form. */
export function firstQuestionAt(expiresAt: Date, now: Date): Date {
  return earlier(now.getTime() + (growingMs[0] ?? second), expiresAt);
}

function earlier(time: number, limit: Date): Date {
  return new Date(Math.min(time, limit.getTime()));
}
