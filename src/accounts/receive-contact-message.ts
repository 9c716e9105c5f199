import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import { ContactMessageEntity } from './entities.ts';
import type { ContactMessage } from './entities.ts';

/** Puts a message of the contact form into the administrators' queue (decisions.md §2). */
export async function receiveContactMessage(
  ctx: CommandContext,
  input: { name: string; email: string; message: string },
): Promise<ContactMessage> {
  const message = ctx.em.create(ContactMessageEntity, { ...input, status: 'new', createdAt: ctx.now });
  await ctx.em.flush();
  audit(ctx, 'contact_message.received', { kind: 'contact_message', id: message.id });
  return message;
}
