import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import type { Conversation, Message } from './entities.ts';
import type { Side } from './sides.ts';

export interface NewMessage {
  /** 1-3000 characters, kept as they are. */
  text: string;
  /** The client's Idempotency-Key: of one author in one conversation the same key is the same message. */
  idempotencyKey: string | null;
}

/** What became of a message that was sent. */
export interface WrittenMessage {
  message: Readonly<Message>;
  /** False when it had been written before. */
  isNew: boolean;
}

/** What a route needs to show a message that was sent. */
export interface MessageReference {
  id: number;
  conversationId: number;
  isNew: boolean;
}

export function referTo({ message: { id, conversationId }, isNew }: WrittenMessage): MessageReference {
  return { id, conversationId, isNew };
}

/**
 * Writes a message and keeps the counters. The conversation is locked, so its messages come one after the other: a greater id is never seen
 * before a smaller one, and none is dated before the one ahead of it. What the other side has not read stays unread.
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

/** What the audit tells of a message: never a word of it. Its length in characters. */
export function factsOf({ id, side, text }: Pick<Message, 'id' | 'side' | 'text'>): Record<string, unknown> {
  return { message_id: id, side, length: [...text].length };
}
