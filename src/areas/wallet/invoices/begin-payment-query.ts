import type { CommandContext } from '../../../platform/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import type { Invoice } from '../entities.ts';
import { expireInvoice } from './expire-invoice.ts';
import { lockInvoice } from './lock-invoice.ts';
import { askableAt, isQueryDue, type QueryCause } from './payment-query-schedule.ts';
import { isFinal } from './states.ts';

/** A question that is to be put to the bank, and why. */
export interface PaymentQuery {
  invoice: Readonly<Invoice>;
  cause: QueryCause;
}

/** Who wants to know: the process, whose time it may be, or the owner, now. */
export type Asker = 'process' | 'owner';

/** Whether the bank is to be asked about an invoice at all: never about one that is settled for good, for the process not before its time. */
export function wantsPaymentQuery(invoice: Readonly<Invoice>, now: Date, asker: Asker): boolean {
  return !isFinal(invoice.status) && (asker === 'owner' || isQueryDue(invoice, now));
}

/**
 * Takes the next question to the bank: the row's lock decides that there is at most one in the pause (`questionPauseMs`), however many
 * ask at once. A question of the process that falls into the pause is planned for its end. An invoice whose form was never given out
 * cannot have been paid, so at the end of its time it expires without a question.
 * @returns null when the bank is not to be asked now
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
