import type { AnonymousSession, SignedIn } from '../http/access.ts';
import { scopesOfRole } from '../http/scopes.ts';
import type { Database } from '../platform/database/database.ts';
import { hashToken } from './secret-tokens.ts';
import { lastUseStepMs, sessionLimits } from './session-limits.ts';

/**
 * Finds the browser session of a cookie's token (decisions.md §2). One statement, since every request of a browser pays for it.
 * Somebody who was blocked meanwhile keeps the session but is not signed in.
 * @returns null for a token that is unknown, idle for 12 hours or older than 30 days (in real time)
 */
export async function authenticateSession(db: Database, token: string): Promise<SignedIn | AnonymousSession | null> {
  const present = new Date();
  const row = await db
    .selectFrom('sessions as s')
    .leftJoin('users as u', (join) => join.onRef('u.id', '=', 's.userId').on('u.status', '=', 'active'))
    .select(['s.id', 's.tokenHash', 's.userId', 's.csrfToken', 's.createdAt', 's.lastSeenAt', 's.expiresAt'])
    .select(['u.id as holderId', 'u.email', 'u.name', 'u.phone', 'u.role', 'u.status'])
    .where('s.tokenHash', '=', hashToken(token))
    .where('s.expiresAt', '>', present)
    .where('s.lastSeenAt', '>', new Date(present.getTime() - sessionLimits.idleMs))
    .executeTakeFirst();
  if (!row) return null;
  const { id, tokenHash, userId, csrfToken, createdAt, lastSeenAt, expiresAt, holderId, email, name, phone, role, status } = row;
  const session = { id, tokenHash, userId, csrfToken, createdAt, lastSeenAt, expiresAt };
  await noteUse(db, id, lastSeenAt, present);
  // An outer join fills all of a person's columns or none.
  if (holderId === null || email === null || name === null || role === null || status === null)
    return { kind: 'anonymous_session', session };
  const user = { id: holderId, email, name, phone, role, status };
  return { kind: 'signed_in', user, scopes: scopesOfRole(role), by: { kind: 'session', session } };
}

async function noteUse(db: Database, id: string, lastSeenAt: Date, present: Date): Promise<void> {
  const step = new Date(present.getTime() - lastUseStepMs);
  if (lastSeenAt > step) return;
  // The condition stands in the statement too, so that parallel requests of one page write once.
  await db.updateTable('sessions').set({ lastSeenAt: present }).where('id', '=', id).where('lastSeenAt', '<=', step).execute();
}
