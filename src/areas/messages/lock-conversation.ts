import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type Conversation, ConversationEntity } from './entities.ts';
import { requireParty } from './policy.ts';
import type { Perspective } from './sides.ts';

/**
 * Locks the conversation about a registration for the caller's side. Waits for a transfer in progress, because it changes the owner
 * of this row (MSG-6).
 * @throws {DomainError} not_found
 */
export async function lockConversation(
  ctx: CommandContext,
  registrationId: number,
  perspective: Perspective,
): Promise<Locked<Conversation>> {
  const conversation = await lockForChange(ctx.em, ConversationEntity, { registrationId });
  return requireParty(conversation, perspective, actingUserId(ctx.actor));
}

/** Locks an account's chat with the federation; null before its first message. */
export function lockChat(ctx: CommandContext, userId: number): Promise<Locked<Conversation> | null> {
  return lockForChange(ctx.em, ConversationEntity, { athleteId: userId, kind: 'federation' });
}

/** Locks a chat for writing and creates it for the first message. Of two parallel requests one inserts the row; the other waits. */
export async function openChat(ctx: CommandContext, userId: number): Promise<Locked<Conversation>> {
  const found = await lockChat(ctx, userId);
  if (found !== null) return found;
  await ctx.db
    .insertInto('conversations')
    .values({ kind: 'federation', athleteId: userId, createdAt: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const opened = await lockChat(ctx, userId);
  if (opened === null) throw new Error(`the chat of account ${userId} vanished under its own transaction`);
  return opened;
}
