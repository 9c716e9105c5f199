import type { CommandContext } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import type { WaitingDelivery } from './queries.ts';

/**
 * Drops a notification that its channel refuses for good or that has no text, so that it does not block later ones (NOT-4).
 * The audit records it; the notification stays in the application.
 * @param code answer of the mail server (SMTP) or of the bot platform; null when neither was called
 */
export async function dropRefused(
  ctx: CommandContext,
  userId: number,
  { id, notificationId, channel }: Pick<WaitingDelivery, 'id' | 'notificationId' | 'channel'>,
  code: number | null,
): Promise<void> {
  const gone = await ctx.db.deleteFrom('notification_deliveries').where('id', '=', id).returning('id').executeTakeFirst();
  if (gone === undefined) return;
  await audit(ctx, 'notification.refused', { kind: 'user', id: userId }, { notification_id: notificationId, channel, code });
}
