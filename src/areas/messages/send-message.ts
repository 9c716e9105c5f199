import type { CommandContext } from '../../platform/commands/context.ts';
import { audit } from '../audit/index.ts';
import { announceMessage } from '../notifications/index.ts';
import { lockConversation } from './queries.ts';
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
