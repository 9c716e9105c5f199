import type { Clock } from '../../../platform/clock.ts';
import { type Database, inList } from '../../../platform/database/database.ts';

/**
 * How long a browser stays signed in. These guard real seconds, so they are measured by the system's clock and not by the
 * sandbox's, which would sign everybody out when time is moved.
 */
export const sessionLimits = {
  /** Nobody used it for so long: over. */
  idleMs: 12 * 60 * 60_000,
  /** Over, used or not. */
  absoluteMs: 30 * 24 * 60 * 60_000,
} as const;

/** The last use of a session or a key is noted at most so often: a write for each request would cost more than it tells. */
export const lastUseStepMs = 60_000;

/**
 * Sessions (`s`) that are neither idle for 12 hours nor older than 30 days, in real time; with who signed in (`u`), unless he was blocked
 * meanwhile, and in whose account an administrator acts by it (`i`), as long as he is one and that account is an active user's.
 */
export function sessionsInForce(db: Database, present: Date) {
  return db
    .selectFrom('sessions as s')
    .leftJoin('users as u', (join) => join.onRef('u.id', '=', 's.userId').on('u.status', '=', 'active'))
    .leftJoin('users as i', (join) =>
      join
        .onRef('i.id', '=', 's.impersonatedUserId')
        .on('i.status', '=', 'active')
        .on('i.role', '=', 'user')
        .on('u.role', '=', 'administrator'),
    )
    .where('s.expiresAt', '>', present)
    .where('s.lastSeenAt', '>', new Date(present.getTime() - sessionLimits.idleMs));
}

/**
 * For whose account each of some sessions speaks at present, by the same rules as for a request (`authenticateSession`); one that is over or in
 * which nobody is signed in is left out. One statement, by the key of `sessions`.
 * @param clock the domain's, which decides on the time of an impersonation
 */
export async function accountsOfSessions(db: Database, ids: readonly string[], clock: Clock): Promise<Map<string, number>> {
  const rows = await sessionsInForce(db, new Date())
    .where('s.id', '=', inList(ids))
    .select(['s.id', 'u.id as holderId', 'i.id as accountId', 's.impersonationExpiresAt as until'])
    .execute();
  const now = rows.some(({ accountId }) => accountId !== null) ? await clock.now(db) : null;
  const accounts = new Map<string, number>();
  for (const { id, holderId, accountId, until } of rows) {
    const isActingFor = accountId !== null && until !== null && now !== null && until > now;
    const speaksFor = isActingFor ? accountId : holderId;
    if (speaksFor !== null) accounts.set(id, speaksFor);
  }
  return accounts;
}
