import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { ContactMessage } from '../entities.ts';

/** Puts a message of the contact form into the administrators' queue (ACC-16). */
export async function receiveContactMessage(
  ctx: CommandContext,
  input: { name: string; email: string; message: string },
): Promise<Readonly<ContactMessage>> {
  const message = await ctx.db
    .insertInto('contact_messages')
    .values({ ...input, status: 'new', createdAt: ctx.now })
    .returningAll()
    .executeTakeFirstOrThrow();
  await audit(ctx, 'contact_message.received', { kind: 'contact_message', id: message.id });
  return message;
}
