import type { CommandContext } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import { type User, UserEntity } from '../entities.ts';
import { accountOpened } from '../extension-points.ts';
import { actAs } from './act-as.ts';
import { type StartedSession, startSession } from './start-session.ts';

export interface Registration {
  /** In lower case. */
  email: string;
  passwordHash: string;
  name: string;
  phone: string | null;
  /** The session in which the form was filled in; a signed-in session replaces it. */
  former: string;
}

/**
 * Opens an account together with the records of other areas (`accountOpened`) and signs it in (ACC-3).
 * @throws {DomainError} email_taken, by the unique constraint: of two concurrent registrations one succeeds
 */
export async function registerAccount(
  ctx: CommandContext,
  input: Registration,
): Promise<{ user: Readonly<User>; session: StartedSession }> {
  const user = ctx.em.create(UserEntity, {
    email: input.email,
    passwordHash: input.passwordHash,
    name: input.name,
    phone: input.phone,
    role: 'user',
    status: 'active',
    language: 'ru',
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  await ctx.em.flush();
  for (const opened of ctx.extensions.of(accountOpened)) await opened(ctx, user.id);
  const session = await startSession(ctx, { userId: user.id, former: input.former });
  await audit(actAs(ctx, user), 'account.registered', { kind: 'user', id: user.id }, { session_id: session.id });
  return { user, session };
}
