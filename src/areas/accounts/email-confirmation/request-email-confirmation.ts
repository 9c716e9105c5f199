import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import type { MailedLink } from '../mails.ts';
import { lockUser } from '../policy.ts';
import { hashToken, makeToken } from '../secret-tokens.ts';
import { closeOpenConfirmation } from './confirm-email.ts';
import { emailConfirmationTimer } from './process.ts';

/**
 * Makes another link that confirms the address of the account, for 24 hours; it replaces an older one (ACC-24).
 * @throws {DomainError} invalid_state, when the address is confirmed
 */
export async function requestEmailConfirmation(ctx: CommandContext, userId: number): Promise<MailedLink> {
  const user = await lockUser(ctx, userId);
  if (user.emailConfirmed) throw new DomainError('invalid_state', undefined, 'The address is already confirmed.');
  await closeOpenConfirmation(ctx, userId, 'newer');
  return makeConfirmationLink(ctx, user);
}

/** Makes the confirmation link of an account that has no open one. */
export async function makeConfirmationLink(
  ctx: CommandContext,
  { id, email, language }: Pick<User, 'id' | 'email' | 'language'>,
): Promise<MailedLink> {
  const token = makeToken();
  await ctx.db
    .insertInto('email_confirmations')
    .values({
      userId: id,
      tokenHash: hashToken(token),
      expiresAt: new Date(ctx.now.getTime() + emailConfirmationTimer.lifetimeMs),
      closedAt: null,
      closedBy: null,
      createdAt: ctx.now,
    })
    .execute();
  ctx.wake(refOf(emailConfirmationTimer, id));
  await audit(ctx, 'email_confirmation.requested', { kind: 'user', id });
  return { email, language, token };
}
