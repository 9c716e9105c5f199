import { audit } from '../audit/index.ts';
import { DomainError } from '../errors.ts';
import { announceMessage } from '../notifications/index.ts';
import { actingUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { openChat } from './lock-conversation.ts';
import { factsOf, writeMessage } from './write-message.ts';
import type { NewMessage, WrittenMessage } from './write-message.ts';

/** A federation has a handful of administrators; whatever happens, no more are told at once. */
const mostTold = 200;

/**
 * Somebody writes to the federation (decisions.md §8). Every active administrator is told live.
 * @throws {DomainError} idempotency_key_conflict
 */
export async function sendChatMessage(ctx: CommandContext, input: NewMessage): Promise<WrittenMessage> {
  const userId = actingUserId(ctx.actor);
  if (userId === null) throw new DomainError('forbidden');
  const written = await writeMessage(ctx, await openChat(ctx, userId), 'athlete', input);
  if (!written.isNew) return written;
  await audit(ctx, 'chat.message_sent', { kind: 'chat', id: userId }, factsOf(written.message));
  // Uses users_role_index.
  const administrators = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'administrator')
    .where('status', '=', 'active')
    .orderBy('id')
    .limit(mostTold)
    .execute();
  await announceMessage(
    ctx,
    administrators.map(({ id }) => id),
    written.message.id,
  );
  return written;
}
