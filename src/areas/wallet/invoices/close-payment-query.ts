import type { CommandContext } from '../../../platform/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import type { Invoice } from '../entities.ts';
import { expireInvoice } from './expire-invoice.ts';
import { nextPaymentQueryAt, type QueryCause, soonestQueryAt, unansweredHintAt } from './payment-query-schedule.ts';
import { isOpen } from './states.ts';

/**
 * Ends a payment status query: an invoice whose time is up and that this query has not settled expires now, never before
 * the bank was asked once more; then the next query is planned.
 * - One that the owner wanted and that got a response leaves the plan as it was.
 * - One that a hint caused begins its step of the plan anew and counts for nothing: whoever hints without end must not make the bank
 *   be asked more seldom afterwards. While the bank does not respond the hint stands.
 * - A hint that came while the bank was being asked is about what the response could not know: its query stays planned.
 * @param hasResponse false when the bank did not respond in time
 */
export async function closePaymentQuery(
  ctx: CommandContext,
  invoice: Locked<Invoice>,
  cause: QueryCause,
  hasResponse: boolean,
): Promise<void> {
  const { now } = ctx;
  const isHintedAgain = invoice.hintedAt !== null;
  const planned = invoice.nextAskAt;
  const hadNoForm = invoice.status === 'created';
  if (isOpen(invoice.status) && now >= invoice.expiresAt) await expireInvoice(ctx, invoice);
  if (hasResponse) invoice.lastAnsweredAt = now;
  invoice.updatedAt = now;
  if (hadNoForm && invoice.status === 'expired') return;
  if (cause === 'owner' && hasResponse && isOpen(invoice.status)) return;

  if (cause !== 'hint') invoice.asked += 1;
  const next = nextPaymentQueryAt(invoice, now, hasResponse);
  if (next === null) {
    invoice.nextAskAt = null;
    invoice.hintedAt = null;
  } else if (isHintedAgain) {
    invoice.nextAskAt = soonestQueryAt(next, planned);
  } else if (cause === 'hint' && !hasResponse) {
    invoice.nextAskAt = soonestQueryAt(next, unansweredHintAt(now));
    invoice.hintedAt = now;
  } else {
    invoice.nextAskAt = next;
  }
}
