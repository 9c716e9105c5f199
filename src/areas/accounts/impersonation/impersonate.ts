import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { audit } from '../../audit/index.ts';
import { type User, UserEntity } from '../entities.ts';
import { lockAdministrator } from '../policy.ts';
import { actInAccount } from '../sessions/act-as.ts';
import { renewSession, type StartedSession } from '../sessions/start-session.ts';
import { impersonationTimer } from './process.ts';

/** An administrator's session that now acts in a user's account. */
interface StartedImpersonation {
  session: StartedSession;
  /** The impersonated user. */
  user: Readonly<User>;
  startedAt: Date;
  expiresAt: Date;
}

/**
 * Opens the account of an active user in an administrator's browser session for an hour (ACC-13), with a new session id and CSRF token
 * (ACC-3). A durable timer ends it.
 * @param input.former id of the administrator's session
 * @throws {DomainError} cannot_impersonate for oneself, an administrator or a blocked account; not_found; forbidden or unauthenticated,
 * when the administrator lost the role or the session meanwhile
 */
export async function impersonate(
  ctx: CommandContext,
  input: { administratorId: number; userId: number; former: string },
): Promise<StartedImpersonation> {
  const { administratorId, userId, former } = input;
  if (userId === administratorId) throw new DomainError('cannot_impersonate');
  await lockAdministrator(ctx, administratorId);
  // Locked: a block between this check and the new session would not end that session.
  const user = await holdUnchanged(ctx.em, UserEntity, { id: userId });
  if (!user) throw new DomainError('not_found');
  if (user.role === 'administrator' || user.status === 'blocked') throw new DomainError('cannot_impersonate');
  const startedAt = ctx.now;
  const expiresAt = new Date(startedAt.getTime() + impersonationTimer.lifetimeMs);
  const account = { impersonatedUserId: userId, impersonationStartedAt: startedAt, impersonationExpiresAt: expiresAt };
  const session = await renewSession(ctx, former, account);
  ctx.wake(refOf(impersonationTimer, session.id));
  const data = { session_id: session.id };
  await audit(actInAccount(ctx, { administratorId, userId }), 'impersonation.started', { kind: 'user', id: userId }, data);
  return { session, user, startedAt, expiresAt };
}
