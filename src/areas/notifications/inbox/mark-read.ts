import { DomainError } from '../../../errors.ts';
import { type CommandContext, impersonatedUserId } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { Notification } from '../entities.ts';

/**
 * Marks a notification as read; the first `read_at` stays. Audited only under impersonation (NOT-6).
 * @throws {DomainError} not_found, also for another account's notification
 */
export async function markRead(ctx: CommandContext, { userId, id }: { userId: number; id: number }): Promise<Readonly<Notification>> {
  const marked = await ctx.db
    .updateTable('notifications')
    .set({ readAt: ctx.now })
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('readAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (marked) {
    if (impersonatedUserId(ctx.actor) !== null) await audit(ctx, 'notification.marked_read', { kind: 'notification', id });
    return marked;
  }
  const read = await ctx.db.selectFrom('notifications').selectAll().where('id', '=', id).where('userId', '=', userId).executeTakeFirst();
  if (!read) throw new DomainError('not_found');
  return read;
}
