import { type Database, type Paging, readPage } from '../../../platform/database/database.ts';
import type { Session } from '../entities.ts';
import { sessionsInForce } from './sessions-in-force.ts';

/** A session as its owner and administrators see it. */
export type ListedSession = Pick<Session, 'id' | 'createdAt' | 'lastSeenAt' | 'ip' | 'userAgent' | 'expiresAt'>;

/** Lists the valid sessions of an account, newest first (ACC-26, ADM-7). Reads `sessions_user_index`. */
export function listSessions(db: Database, userId: number, paging: Paging): Promise<{ rows: ListedSession[]; total: number }> {
  const own = sessionsInForce(db, new Date())
    .where('s.userId', '=', userId)
    .where('s.waitsForSecondFactor', '=', false)
    .select(['s.id', 's.createdAt', 's.lastSeenAt', 's.ip', 's.userAgent', 's.expiresAt']);
  return readPage(own.orderBy('s.createdAt', 'desc').orderBy('s.id', 'desc'), paging);
}
