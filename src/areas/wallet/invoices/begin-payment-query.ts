import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import type { Invoice } from '../entities.ts';
import { lockInvoice } from '../queries.ts';
import { expireInvoice } from './close-payment-query.ts';
import { askableAt, isQueryDue, type QueryCause } from './payment-query-schedule.ts';
import { isFinal } from './states.ts';

/** A query to send to the bank, and its cause. */
export interface PaymentQuery {
  invoice: Readonly<Invoice>;
  cause: QueryCause;
}

/** Who asks: the process by plan, or a person at once (`owner`, administrators included). */
export type Asker = 'process' | 'owner';

/** Whether to ask the bank: never about a final invoice, and for the process only when a query is due. */
export function wantsPaymentQuery(invoice: Readonly<Invoice>, now: Date, asker: Asker): boolean {
  return !isFinal(invoice.status) && (asker === 'owner' || isQueryDue(invoice, now));
}

/**
 * Starts a payment query. The row lock ensures one query for each pause (WAL-13), whatever the number of concurrent callers.
 *
 * A query of the process that falls into the pause is postponed to its end. An invoice without a checkout cannot have been paid,
 * so it expires without a query.
 * @returns null when the bank must not be asked now
 * @throws {DomainError} not_found
 */
export async function beginPaymentQuery(ctx: CommandContext, id: number, asker: Asker): Promise<PaymentQuery | null> {
  const { now } = ctx;
  const invoice = await lockInvoice(ctx, id);
  if (!wantsPaymentQuery(invoice, now, asker)) return null;
  if (asker === 'process' && invoice.hintedAt === null && invoice.status === 'created' && now >= invoice.expiresAt) {
    await expireInvoice(ctx, invoice);
    return null;
  }
  const freeAt = askableAt(invoice);
  if (freeAt !== null && now < freeAt) {
    if (asker === 'process') postpone(ctx, invoice, freeAt);
    return null;
  }
  const cause = asker === 'owner' ? 'owner' : invoice.hintedAt === null ? 'plan' : 'hint';
  invoice.lastAskedAt = now;
  if (cause !== 'owner') invoice.hintedAt = null;
  invoice.updatedAt = now;
  return { invoice, cause };
}

function postpone(ctx: CommandContext, invoice: Locked<Invoice>, until: Date): void {
  invoice.nextAskAt = until;
  invoice.updatedAt = ctx.now;
}
