import type { CommandContext } from '../../../platform/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import type { Invoice } from '../entities.ts';
import { invoiceNotifications } from '../notifications.ts';
import { transition } from './states.ts';

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
