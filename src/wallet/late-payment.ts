import type { Invoice } from './entities.ts';

/**
 * When an invoice was paid: when the bank says so, as long as that can be. A payment before the invoice was made or after the present
 * is a wrong clock, and then it counts from when we heard of it.
 * @param said null when the bank does not say
 */
export function paymentInstant({ createdAt }: Pick<Invoice, 'createdAt'>, said: Date | null, now: Date): Date {
  return said !== null && said >= createdAt && said <= now ? said : now;
}

/**
 * Whether money came late (decisions.md §5): after its invoice had run out, by the bank's time and not by ours, since a bank that was
 * silent at the end takes nothing from who had paid; or after the bank itself had refused the payment.
 * @param paidAt as `paymentInstant` gives it
 */
export function isLatePayment({ status, expiresAt }: Pick<Invoice, 'status' | 'expiresAt'>, paidAt: Date): boolean {
  return status === 'failed' || paidAt >= expiresAt;
}
