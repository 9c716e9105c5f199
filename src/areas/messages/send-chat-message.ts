import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { audit } from '../audit/index.ts';
import { announceMessage, selectAdministrators } from '../notifications/index.ts';
import { openChat } from './queries.ts';
import { factsOf, type NewMessage, writeMessage, type WrittenMessage } from './write-message.ts';

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
