import { DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext, isActingAsAdministrator } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type ContactMessage, ContactMessageEntity } from '../entities.ts';

/**
 * Marks a message of the contact form as answered, which removes it from the administrators' queue (ACC-16). Idempotent.
 * @param note how it was answered, for the other administrators
 * @throws {DomainError} not_found, forbidden
 */
export async function answerContactMessage(ctx: CommandContext, id: number, note: string | null): Promise<Readonly<ContactMessage>> {
  const administratorId = isActingAsAdministrator(ctx.actor) ? accountableUserId(ctx.actor) : null;
  if (administratorId === null) throw new DomainError('forbidden');
  const message = await lockForChange(ctx.em, ContactMessageEntity, { id });
  if (!message) throw new DomainError('not_found');
  if (message.status === 'answered') return message;
  message.status = 'answered';
  message.answeredAt = ctx.now;
  message.answeredBy = administratorId;
  message.answerNote = note;
  await audit(ctx, 'contact_message.answered', { kind: 'contact_message', id });
  return message;
}
