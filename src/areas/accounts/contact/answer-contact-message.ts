import { DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext, isActingAsAdministrator } from '../../../platform/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type ContactMessage, ContactMessageEntity } from '../entities.ts';

/**
 * Notes that a message of the contact form was answered; it leaves the administrators' queue (decisions.md §9). One that is answered already
 * stays as it is.
 * @param note how, for the other administrators
 * @returns the message as it then stands
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
