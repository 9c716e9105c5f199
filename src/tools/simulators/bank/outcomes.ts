import { z } from 'zod';

/** How an invoice ends at the bank; all but `failed` say `paid` sooner or later. */
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

/** How the bank fails to answer a status query, whatever became of the money. */
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

/** What the bank knows of an order: the amount is in tiyn, null until a form or a status query has told it. */
export type Order = { invoiceNumber: string; amountMinor: number | null; currency: string | null; terminal: string };

/** The order as the bank misnames it; a right outcome changes nothing. */
export function misname(order: Order, outcome: SettlementOutcome): Order {
  if (outcome === 'wrong_amount' && order.amountMinor !== null) {
    // Less than was owed, where that is possible: the error that costs money when it goes unseen.
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
