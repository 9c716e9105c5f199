import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { audit } from '../audit/index.ts';
import { announceMessage, notify } from '../notifications/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { openChat } from './queries.ts';
import { messageNotifications } from './notifications.ts';
import { factsOf, type NewMessage, writeMessage, type WrittenMessage } from './write-message.ts';

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
