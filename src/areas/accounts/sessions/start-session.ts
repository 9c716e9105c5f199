import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Session } from '../entities.ts';
import { hashToken, makeToken } from '../secret-tokens.ts';
import { auditEnds, impersonationColumns } from './end-impersonations.ts';
import { sessionLimits } from './sessions-in-force.ts';

/** A session as the browser gets it. */
export interface StartedSession {
  id: string;
  /** Value of the cookie; it is not stored. */
  token: string;
  /** Required of every write in this session (ACC-4). */
  csrfToken: string;
}

/**
 * Starts a browser session with a new id, cookie and CSRF token (ACC-3).
 * @param input.former the session that it replaces; its cookie and token become worthless
 * @param input.userAgent see `readUserAgent`; omitted: as in the former session
 * @param input.waitsForSecondFactor whether the session signs in only with a code, within five minutes (ACC-28)
 */
export async function startSession(
  ctx: CommandContext,
  input: { userId: number | null; former: string | null; userAgent?: string | null; waitsForSecondFactor?: boolean },
): Promise<StartedSession> {
  const [former] = input.former === null ? [] : await endSessions(ctx, { id: input.former });
  const present = new Date();
  const { userId, userAgent = former?.userAgent ?? null, waitsForSecondFactor = false } = input;
  const lifetimeMs = waitsForSecondFactor ? sessionLimits.secondFactorMs : sessionLimits.absoluteMs;
  const times = { createdAt: present, expiresAt: new Date(present.getTime() + lifetimeMs) };
  // The session of a visitor is not listed, so it needs neither.
  const from = userId === null ? { ip: null, userAgent: null } : { ip: ctx.ip, userAgent };
  return insertSession(ctx, { userId, waitsForSecondFactor, ...times, ...from, ...inOwnName });
}

/** The impersonation columns of a session. */
type InAccount = Pick<Session, 'impersonatedUserId' | 'impersonationStartedAt' | 'impersonationExpiresAt'>;

export const inOwnName: InAccount = { impersonatedUserId: null, impersonationStartedAt: null, impersonationExpiresAt: null };

/**
 * Gives a session a new id, cookie and CSRF token (ACC-3) and keeps its owner, expiry, address and browser.
 * @param former the present id of the session
 * @throws {DomainError} unauthenticated, when the session ended meanwhile, as for the second of two concurrent requests
 */
export async function renewSession(ctx: CommandContext, former: string, account: InAccount): Promise<StartedSession> {
  const [ended] = await endSessions(ctx, { id: former });
  if (!ended) throw new DomainError('unauthenticated');
  const { userId, createdAt, expiresAt, ip, userAgent } = ended;
  return insertSession(ctx, { userId, waitsForSecondFactor: false, createdAt, expiresAt, ip, userAgent, ...account });
}

async function insertSession(
  { db }: CommandContext,
  fields: Omit<EndedSession, 'id'> & Pick<Session, 'waitsForSecondFactor'> & InAccount,
): Promise<StartedSession> {
  const started = { id: randomUUID(), token: makeToken(), csrfToken: makeToken() };
  await db
    .insertInto('sessions')
    .values({ id: started.id, tokenHash: hashToken(started.token), csrfToken: started.csrfToken, lastSeenAt: new Date(), ...fields })
    .execute();
  return started;
}

/** A session that was ended. */
type EndedSession = Pick<Session, 'id' | 'userId' | 'createdAt' | 'expiresAt' | 'ip' | 'userAgent'>;

/**
 * Ends one session, or all sessions of an account, together with their impersonations.
 * @param which.except the session that stays
 * @returns the ended sessions
 */
export async function endSessions(
  ctx: CommandContext,
  which: { id: string } | { userId: number; except?: string },
): Promise<EndedSession[]> {
  const ended = await ctx.db
    .deleteFrom('sessions')
    .where((eb) => {
      if ('id' in which) return eb('id', '=', which.id);
      const ofAccount = eb('userId', '=', which.userId);
      return which.except === undefined ? ofAccount : eb.and([ofAccount, eb('id', '<>', which.except)]);
    })
    .returning(impersonationColumns)
    .returning(['createdAt', 'expiresAt', 'ip', 'userAgent'])
    .execute();
  await auditEnds(ctx, ended);
  return ended;
}
