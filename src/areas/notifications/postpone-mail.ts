import type { CommandContext } from '../../platform/context.ts';
import { definePoint } from '../../platform/extensions.ts';
import { dropRefused } from './delivery/drop-refused.ts';
import type { WaitingDelivery } from './delivery/queries.ts';
import { mostTriesOfMail, pauseOfMail } from './delivery/schedule.ts';

/** Reports a dropped mail to administrators; entered by the area of incidents. */
export type MailSetAside = (ctx: CommandContext, userId: number, details: Record<string, unknown>) => Promise<void>;

export const mailSetAside = definePoint<MailSetAside>('a mail was set aside');

/**
 * Postpones one mail that the server refuses for now, so that it does not block later ones (NOT-4).
 * Drops it after `mostTriesOfMail` attempts and opens an incident.
 * @param code answer of the mail server (SMTP)
 * @returns whether the mail will be retried
 */
export async function postponeMail(
  ctx: CommandContext,
  userId: number,
  delivery: Pick<WaitingDelivery, 'id' | 'notificationId' | 'channel' | 'tries'>,
  code: number | null,
): Promise<boolean> {
  const tries = delivery.tries + 1;
  if (tries < mostTriesOfMail) {
    const retryAt = new Date(ctx.now.getTime() + pauseOfMail(tries));
    await ctx.db.updateTable('notification_deliveries').set({ tries, retryAt }).where('id', '=', delivery.id).execute();
    return true;
  }
  await dropRefused(ctx, userId, delivery, code);
  const details = { notification_id: delivery.notificationId, code, tries };
  for (const tell of ctx.extensions.of(mailSetAside)) await tell(ctx, userId, details);
  return false;
}
