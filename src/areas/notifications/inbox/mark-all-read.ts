import { type CommandContext, impersonatedUserId } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { countUnread } from './queries.ts';

/**
 * Marks all notifications of an account up to one of them as read; the first `read_at` stays (NOT-6). Audited as `markRead` is.
 * Uses `notifications_unread_index`.
 * @param input.upToId the newest notification that the person saw
 * @returns the number still unread: those after it
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
    await audit(ctx, 'notification.marked_read', { kind: 'user', id: userId }, { up_to_id: upToId });
  return countUnread(ctx.db, userId);
}
