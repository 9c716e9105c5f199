import type { EntityManager } from '@mikro-orm/postgresql';
import type { AnonymousSession, SignedIn } from '../http/access.ts';
import { executePrepared } from '../platform/database/prepared.ts';
import type { User, UserRole } from './entities.ts';
import { scopesOfRole } from './scopes.ts';
import { hashToken } from './secret-tokens.ts';
import { lastUseStepMs, sessionLimits } from './session-limits.ts';

interface SessionRow {
  id: string;
  token_hash: string;
  user_id: number | null;
  csrf_token: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  email: string;
  name: string;
  phone: string | null;
  role: UserRole;
  status: User['status'] | null;
}

/**
 * Finds the browser session of a cookie's token (decisions.md §2). One statement, since every request of a browser pays for it.
 * Somebody who was blocked meanwhile keeps the session but is not signed in.
 * @returns null for a token that is unknown, idle for 12 hours or older than 30 days (in real time)
 */
export async function authenticateSession(em: EntityManager, token: string): Promise<SignedIn | AnonymousSession | null> {
  const present = new Date();
  const [row] = await executePrepared<SessionRow>(
    em,
    `select s.id, s.token_hash, s.user_id, s.csrf_token, s.created_at, s.last_seen_at, s.expires_at,
            u.email, u.name, u.phone, u.role, u.status
     from sessions s left join users u on u.id = s.user_id
     where s.token_hash = $1 and s.expires_at > $2 and s.last_seen_at > $3`,
    [hashToken(token), present, new Date(present.getTime() - sessionLimits.idleMs)],
  );
  if (!row) return null;
  const session = {
    id: row.id,
    tokenHash: row.token_hash,
    userId: row.user_id,
    csrfToken: row.csrf_token,
    createdAt: new Date(row.created_at),
    lastSeenAt: new Date(row.last_seen_at),
    expiresAt: new Date(row.expires_at),
  };
  await noteUse(em, session.id, session.lastSeenAt, present);
  if (row.user_id === null || row.status !== 'active') return { kind: 'anonymous_session', session };
  const user = { id: row.user_id, email: row.email, name: row.name, phone: row.phone, role: row.role, status: row.status };
  return { kind: 'signed_in', user, scopes: scopesOfRole(user.role), by: { kind: 'session', session } };
}

async function noteUse(em: EntityManager, id: string, lastSeenAt: Date, present: Date): Promise<void> {
  const step = new Date(present.getTime() - lastUseStepMs);
  // The condition stands in the statement too, so that parallel requests of one page write once.
  if (lastSeenAt <= step)
    await executePrepared(em, 'update sessions set last_seen_at = $1 where id = $2 and last_seen_at <= $3', [present, id, step]);
}
