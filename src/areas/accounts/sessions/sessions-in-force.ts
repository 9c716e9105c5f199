import { mustSetUpSecondFactor } from '../../../http/access/access.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';

/**
 * How long a browser stays signed in (ACC-21). Measured in real time: the sandbox's clock would sign all browsers out when it is moved.
 */
export const sessionLimits = {
  /** Longest time without a request. */
  idleMs: 12 * 60 * 60_000,
  /** Longest life of a session, used or not. */
  absoluteMs: 30 * 24 * 60 * 60_000,
  /** Time to give the second factor (ACC-28). */
  secondFactorMs: 5 * 60_000,
} as const;

/** The last use of a session or key is written at most once in this time: a write for each request would cost too much. */
export const lastUseStepMs = 60_000;

/**
 * Selects the valid sessions (`s`) in real time, with two outer joins. `u` is the account that signed in, unless it is blocked or the
 * session waits for its second factor. `i` is
 * the impersonated account, while `u` is an administrator and `i` an active user.
 */
export function sessionsInForce(db: Database, present: Date) {
  return db
    .selectFrom('sessions as s')
    .leftJoin('users as u', (join) =>
      join.onRef('u.id', '=', 's.userId').on('u.status', '=', 'active').on('s.waitsForSecondFactor', '=', false),
    )
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
 * Returns the account that each session acts for, by the same rules as for a request (`authenticateSession`). Leaves out expired and
 * anonymous sessions, and those of administrators who must set up a second factor first (ACC-31). One statement, by the key of `sessions`.
 * @param platform.clock the domain's clock, which decides when an impersonation is over
 */
export async function accountsOfSessions(
  db: Database,
  ids: readonly string[],
  { clock, config }: Pick<Platform, 'clock' | 'config'>,
): Promise<Map<string, number>> {
  const rows = await sessionsInForce(db, new Date())
    .where('s.id', '=', inList(ids))
    .select(['s.id', 'u.id as holderId', 'u.role', 'u.secondFactor', 'i.id as accountId', 's.impersonationExpiresAt as until'])
    .execute();
  const now = rows.some(({ accountId }) => accountId !== null) ? await clock.now(db) : null;
  const accounts = new Map<string, number>();
  for (const { id, holderId, role, secondFactor, accountId, until } of rows) {
    if (role === null || secondFactor === null || mustSetUpSecondFactor(config, { role, secondFactor })) continue;
    const isActingFor = accountId !== null && until !== null && now !== null && until > now;
    const speaksFor = isActingFor ? accountId : holderId;
    if (speaksFor !== null) accounts.set(id, speaksFor);
  }
  return accounts;
}
