import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import type { Invoice } from '../entities.ts';
import { invoiceNotifications } from '../notifications.ts';
import { nextPaymentQueryAt, type QueryCause, soonestQueryAt, unansweredHintAt } from './payment-query-schedule.ts';
import { isOpen, transition } from './states.ts';

/**
 * Ends a payment query and plans the next one (WAL-7). An invoice past its `expires_at` that the query did not settle expires
 * now, so it never expires before a last query.
 * - An owner's query with a response leaves the plan as it was.
 * - A hinted query restarts its interval but does not count: endless hints must not lengthen the intervals. Without a response
 *   the hint stays open.
 * - A hint that arrived during the query stays planned: the response may be older than its event.
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

/**
 * Expires an open invoice (WAL-3). Without a checkout it cannot have been paid, so the bank is not asked for late money (WAL-7).
 */
export async function expireInvoice(ctx: CommandContext, invoice: Locked<Invoice>): Promise<void> {
  if (invoice.status === 'created') {
    invoice.nextAskAt = null;
    invoice.hintedAt = null;
  }
  transition(invoice, 'expire');
  invoice.updatedAt = ctx.now;
  const subject = { kind: 'invoice', id: invoice.id };
  await audit(ctx, 'invoice.expired', subject);
  await notify(ctx, invoice.ownerId, invoiceNotifications['invoice.expired'], subject, { number: invoice.number });
}
