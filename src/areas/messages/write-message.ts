import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import type { Conversation, Message } from './entities.ts';
import type { Side } from './sides.ts';

export interface NewMessage {
  /** 1 to 3000 code points, kept as sent (MSG-1). */
  text: string;
  /** The client's Idempotency-Key: the same key of one author in one conversation is the same message. */
  idempotencyKey: string | null;
}

/** Outcome of sending. */
export interface WrittenMessage {
  message: Readonly<Message>;
  /** False for a repeat of an earlier message. */
  isNew: boolean;
}

/**
 * Writes a message and updates the counters.
 * The locked conversation orders its messages: ids become visible in order, and no message is dated before the previous one.
 * Unread messages of the other side stay unread.
 * @throws {DomainError} idempotency_key_conflict
 */
export async function writeMessage(
  ctx: CommandContext,
  conversation: Locked<Conversation>,
  side: Side,
  { text, idempotencyKey }: NewMessage,
): Promise<WrittenMessage> {
  const authorId = actingUserId(ctx.actor);
  if (authorId === null) throw new DomainError('forbidden');
  const { id: conversationId, lastMessageAt } = conversation;
  if (idempotencyKey !== null) {
    const repeated = await ctx.db
      .selectFrom('messages')
      .selectAll()
      .where('conversationId', '=', conversationId)
      .where('authorId', '=', authorId)
      .where('clientKey', '=', idempotencyKey)
      .executeTakeFirst();
    if (repeated && (repeated.text !== text || repeated.side !== side)) throw new DomainError('idempotency_key_conflict');
    if (repeated) return { message: repeated, isNew: false };
  }
  const createdAt = lastMessageAt !== null && lastMessageAt > ctx.now ? lastMessageAt : ctx.now;
  const message = await ctx.db
    .insertInto('messages')
    .values({ conversationId, side, authorId, text, clientKey: idempotencyKey, createdAt })
    .returningAll()
    .executeTakeFirstOrThrow();
  conversation.messageCount += 1;
  if (side === 'athlete') conversation.counterpartUnread += 1;
  else conversation.athleteUnread += 1;
  conversation.lastMessageId = message.id;
  conversation.lastMessageAt = createdAt;
  return { message, isNew: true };
}

/** Returns a message's audit details: id, side and length in code points, never the text (MSG-5). */
export function factsOf({ id, side, text }: Pick<Message, 'id' | 'side' | 'text'>): Record<string, unknown> {
  return { message_id: id, side, length: [...text].length };
}
