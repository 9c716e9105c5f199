import { DomainError } from '../../../errors.ts';
import { type CommandContext, impersonatedUserId } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import type { Notification } from '../entities.ts';

/**
 * Marks a notification of a person as read; one that was read keeps its first mark. What somebody reads of his own is no fact of the registry
 * and is not audited; what an administrator marks in his account is.
 * @throws {DomainError} not_found, when it is another's
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
    if (impersonatedUserId(ctx.actor) !== null) await audit(ctx, 'notification.read', { kind: 'notification', id });
    return marked;
  }
  const read = await ctx.db.selectFrom('notifications').selectAll().where('id', '=', id).where('userId', '=', userId).executeTakeFirst();
  if (!read) throw new DomainError('not_found');
  return read;
}
