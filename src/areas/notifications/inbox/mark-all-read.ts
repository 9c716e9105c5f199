import { type CommandContext, impersonatedUserId } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import { countUnread } from './queries.ts';

/**
 * Marks as read all that a person was told up to a notification, itself included; what was read keeps its first mark. Audited as `markRead` is.
 * Found by `notifications_unread_index`.
 * @param input.upToId of a notification that the person saw; it only says how far
 * @returns how much is left unread: what came after it
 */
export async function markAllRead(ctx: CommandContext, { userId, upToId }: { userId: number; upToId: number }): Promise<number> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('notifications')
    .set({ readAt: ctx.now })
    .where('userId', '=', userId)
    .where('id', '<=', upToId)
    .where('readAt', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n && impersonatedUserId(ctx.actor) !== null)
    await audit(ctx, 'notification.read', { kind: 'user', id: userId }, { up_to_id: upToId });
  return countUnread(ctx.db, userId);
}
