import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { makeConfirmationLink } from '../email-confirmation/request-email-confirmation.ts';
import { type User, UserEntity } from '../entities.ts';
import { accountOpened } from '../extension-points.ts';
import type { MailedLink } from '../mails.ts';
import { actAs } from '../sessions/act-as.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';

/** A new account; `email` in lower case. */
type NewAccount = Pick<User, 'email' | 'passwordHash' | 'name' | 'phone' | 'role' | 'emailConfirmed'>;

/** Inserts an account together with the records of other areas (`accountOpened`). @throws the violation of the unique e-mail */
export async function openAccount(ctx: CommandContext, account: NewAccount): Promise<User> {
  const user = ctx.em.create(UserEntity, {
    ...account,
    secondFactor: false,
    status: 'active',
    language: 'ru',
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  await ctx.em.flush();
  for (const opened of ctx.extensions.of(accountOpened)) await opened(ctx, user.id);
  return user;
}

/**
 * Opens an account, signs it in (ACC-3) and makes the link that confirms its address (ACC-24).
 * @param input.former the session in which the form was filled in; a signed-in session replaces it
 * @throws {DomainError} email_taken, by the unique constraint: of two concurrent registrations one succeeds
 */
export async function registerAccount(
  ctx: CommandContext,
  { former, userAgent, ...account }: Omit<NewAccount, 'role' | 'emailConfirmed'> & { former: string; userAgent: string | null },
): Promise<{ user: Readonly<User>; session: StartedSession; link: MailedLink }> {
  const user = await openAccount(ctx, { ...account, role: 'user', emailConfirmed: false });
  const session = await startSession(ctx, { userId: user.id, former, userAgent });
  await audit(actAs(ctx, user), 'account.registered', { kind: 'user', id: user.id }, { session_id: session.id });
  return { user, session, link: await makeConfirmationLink(actAs(ctx, user), user) };
}
