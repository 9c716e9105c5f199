import { z } from 'zod';

/** Outcomes of an invoice; all except `failed` become `paid`. */
export const settlementOutcomes = [
  'paid',
  'failed',
  'late',
  'twice',
  'wrong_amount',
  'wrong_currency',
  'wrong_terminal',
  'wrong_invoice',
] as const;
export type SettlementOutcome = (typeof settlementOutcomes)[number];

/** Faults of status queries, independent of the outcome. */
export const faultKinds = ['timeout', 'error'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Body of `POST /control/{number}`. */
export const controlSchema = z.strictObject({
  outcome: z.enum([...settlementOutcomes, ...faultKinds]),
  delay_ms: z.int().min(0).max(86_400_000).optional(),
  times: z.int().min(1).max(1000).optional(),
});
export type Control = z.output<typeof controlSchema>;

export function isFault(outcome: Control['outcome']): outcome is FaultKind {
  return outcome === 'timeout' || outcome === 'error';
}

/** An order at the bank; the amount is in tiyn, null until a form or a status query sets it. */
export type Order = { invoiceNumber: string; amountMinor: number | null; currency: string | null; terminal: string };

/** Returns the order with the wrong fact of an outcome, if any. */
export function withWrongFact(order: Order, outcome: SettlementOutcome): Order {
  if (outcome === 'wrong_amount' && order.amountMinor !== null) {
    // Less than owed if possible, because this error costs money.
    return { ...order, amountMinor: order.amountMinor > 100 ? order.amountMinor - 100 : order.amountMinor + 100 };
  }
  if (outcome === 'wrong_currency') return { ...order, currency: order.currency === 'USD' ? 'EUR' : 'USD' };
  if (outcome === 'wrong_terminal') return { ...order, terminal: `${order.terminal}-OTHER` };
  if (outcome === 'wrong_invoice') {
    const last = Number(order.invoiceNumber.at(-1));
    return { ...order, invoiceNumber: `${order.invoiceNumber.slice(0, -1)}${(last + 1) % 10}` };
  }
  return order;
}
