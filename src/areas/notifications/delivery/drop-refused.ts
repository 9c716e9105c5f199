import type { CommandContext } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import type { WaitingDelivery } from './queries.ts';

/**
 * Gives up a notification that its channel refuses for good, or that nobody can write: the account's others must not wait behind it. The audit keeps
 * that it never went out; in the application it is there all the same.
 * @param code what the mail server (SMTP) or the platform of the bot answered with; null where nobody was asked
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
