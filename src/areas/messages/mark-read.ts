import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext, impersonatedUserId } from '../../platform/commands/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { audit } from '../audit/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import type { Conversation } from './entities.ts';
import { lockChat, lockConversation, unreadOf } from './queries.ts';
import type { Perspective, Side } from './sides.ts';

/**
 * Marks the other side's messages about a registration as read (MSG-4). Audited only under impersonation.
 * @param upToId the newest message that was seen; null: all
 * @returns the number still unread
 */
export async function markRead(
  ctx: CommandContext,
  registrationId: number,
  perspective: Perspective,
  upToId: number | null,
): Promise<number> {
  const conversation = await lockConversation(ctx, registrationId, perspective);
  const messages = await mark(ctx, conversation, perspective, upToId);
  if (messages > 0 && impersonatedUserId(ctx.actor) !== null)
    await audit(ctx, 'messenger.marked_read', { kind: 'registration', id: registrationId }, { side: perspective, messages });
  return unreadOf(conversation, perspective);
}

/** Marks the federation's messages to the acting account as read. */
export async function markChatRead(ctx: CommandContext, upToId: number | null): Promise<number> {
  const userId = actingUserId(ctx.actor);
  const chat = userId === null ? null : await lockChat(ctx, userId);
  if (userId === null || chat === null) return 0;
  const messages = await mark(ctx, chat, 'athlete', upToId);
  if (messages > 0 && impersonatedUserId(ctx.actor) !== null)
    await audit(ctx, 'chat.marked_read', { kind: 'chat', id: userId }, { side: 'athlete', messages });
  return unreadOf(chat, 'athlete');
}

/**
 * Marks an account's messages to the federation as read for all administrators (MSG-4). Audited with the administrator.
 * @throws {DomainError} not_found when the account does not exist
 */
export async function markChatReadByFederation(ctx: CommandContext, userId: number, upToId: number | null): Promise<number> {
  requireAdministrator(ctx);
  const chat = await lockChat(ctx, userId);
  if (chat === null) {
    const user = await ctx.db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
    if (!user) throw new DomainError('not_found');
    return 0;
  }
  const messages = await mark(ctx, chat, 'federation', upToId);
  if (messages > 0) await audit(ctx, 'chat.marked_read', { kind: 'chat', id: userId }, { messages });
  return unreadOf(chat, 'federation');
}

/**
 * Uses messages_unread_index.
 * @returns the number of newly read messages
 */
async function mark(ctx: CommandContext, conversation: Locked<Conversation>, reader: Side, upToId: number | null): Promise<number> {
  if (unreadOf(conversation, reader) === 0) return 0;
  const { numUpdatedRows } = await ctx.db
    .updateTable('messages')
    .set({ readAt: ctx.now })
    .where('conversationId', '=', conversation.id)
    .where('readAt', 'is', null)
    .where('side', reader === 'athlete' ? '<>' : '=', 'athlete')
    .$if(upToId !== null, (seen) => seen.where('id', '<=', upToId ?? 0))
    .executeTakeFirst();
  const marked = Number(numUpdatedRows);
  if (reader === 'athlete') conversation.athleteUnread -= marked;
  else conversation.counterpartUnread -= marked;
  return marked;
}
