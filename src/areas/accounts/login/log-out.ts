import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { Session } from '../entities.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';

/**
 * Signs a browser out: an anonymous session replaces the former one (ACC-3). An anonymous session is replaced too, without an audit
 * row. Under impersonation the administrator is signed out, and the audit names both (ACC-14).
 */
export async function logOut(ctx: CommandContext, former: Pick<Session, 'id' | 'userId'>): Promise<StartedSession> {
  const session = await startSession(ctx, { userId: null, former: former.id });
  if (former.userId !== null) await audit(ctx, 'session.ended', { kind: 'user', id: former.userId }, { session_id: former.id });
  return session;
}
