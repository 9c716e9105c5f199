import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type Conversation, ConversationEntity } from './entities.ts';
import { requireParty } from './policy.ts';
import type { Perspective } from './sides.ts';

/**
 * Takes the lock under which the conversation about a registration goes on, for whoever stands for a side now: a transfer that is under way is
 * waited for, since it changes the owner of this row.
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

/** The same of an account's chat with the federation; null while nobody has written. */
export function lockChat(ctx: CommandContext, userId: number): Promise<Locked<Conversation> | null> {
  return lockForChange(ctx.em, ConversationEntity, { athleteId: userId, kind: 'federation' });
}

/** The same for who writes: the first message begins the chat. Of two at once one makes the row, and the other waits for it. */
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
