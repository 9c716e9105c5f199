import type { CommandContext } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import type { Session } from '../entities.ts';
import { type StartedSession, startSession } from './start-session.ts';

/**
 * Signs a browser out: its session ends and an anonymous one takes its place. Without effect on whoever is not signed in. Under impersonation it is
 * the administrator who signs out, and the audit names both.
 */
export async function logOut(ctx: CommandContext, former: Pick<Session, 'id' | 'userId'>): Promise<StartedSession> {
  const session = await startSession(ctx, { userId: null, former: former.id });
  if (former.userId !== null) await audit(ctx, 'session.ended', { kind: 'user', id: former.userId }, { session_id: former.id });
  return session;
}
