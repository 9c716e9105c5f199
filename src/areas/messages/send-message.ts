import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { audit } from '../audit/index.ts';
import { announceMessage, notify, selectAdministrators } from '../notifications/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { messageNotifications } from './notifications.ts';
import { lockConversation, openChat } from './queries.ts';
import type { Perspective } from './sides.ts';
import { factsOf, type NewMessage, writeMessage, type WrittenMessage } from './write-message.ts';

/**
 * Sends a message between athlete and organizer about a registration, in any status but draft (MSG-3). Writes a stream event and the
 * counters, but no notification (MSG-8).
 * @throws {DomainError} not_found; idempotency_key_conflict
 */
export async function sendMessage(
  ctx: CommandContext,
  registrationId: number,
  perspective: Perspective,
  input: NewMessage,
): Promise<WrittenMessage> {
  const conversation = await lockConversation(ctx, registrationId, perspective);
  const written = await writeMessage(ctx, conversation, perspective, input);
  if (!written.isNew) return written;
  const { message } = written;
  await audit(ctx, 'messenger.message_sent', { kind: 'registration', id: registrationId }, factsOf(message));
  const { athleteId, organizerId } = conversation;
  const receiverId = perspective === 'athlete' ? organizerId : athleteId;
  await announceMessage(ctx, receiverId === null ? [] : [receiverId], message.id);
  return written;
}

/**
 * Sends an account's message to the federation, with a stream event to every active administrator (MSG-8).
 * @throws {DomainError} idempotency_key_conflict
 */
export async function sendChatMessage(ctx: CommandContext, input: NewMessage): Promise<WrittenMessage> {
  const userId = actingUserId(ctx.actor);
  if (userId === null) throw new DomainError('forbidden');
  const written = await writeMessage(ctx, await openChat(ctx, userId), 'athlete', input);
  if (!written.isNew) return written;
  await audit(ctx, 'chat.message_sent', { kind: 'chat', id: userId }, factsOf(written.message));
  const administrators = await selectAdministrators(ctx.db).execute();
  await announceMessage(
    ctx,
    administrators.map(({ id }) => id),
    written.message.id,
  );
  return written;
}

/**
 * Sends a message of the federation to an account, also as the first one (MSG-7). Writes stream events and one notification without
 * the text (MSG-8). Messages of the other side stay unread.
 * @throws {DomainError} not_found; invalid_state while the account is blocked; idempotency_key_conflict
 */
export async function answerChat(ctx: CommandContext, userId: number, input: NewMessage): Promise<WrittenMessage> {
  requireAdministrator(ctx);
  const user = await ctx.db.selectFrom('users').select('status').where('id', '=', userId).executeTakeFirst();
  if (!user) throw new DomainError('not_found');
  if (user.status === 'blocked')
    throw new DomainError('invalid_state', { status: user.status }, 'The account is blocked; its owner could not read the message.');
  const written = await writeMessage(ctx, await openChat(ctx, userId), 'federation', input);
  if (!written.isNew) return written;
  const { message } = written;
  await audit(ctx, 'chat.message_sent', { kind: 'chat', id: userId }, factsOf(message));
  await announceMessage(ctx, [userId], message.id);
  await notify(ctx, userId, messageNotifications['chat.reply'], { kind: 'message', id: message.id });
  return written;
}
