import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import type { Session } from '../entities.ts';
import { hashToken, makeToken } from '../secret-tokens.ts';
import { endSessions } from './end-sessions.ts';
import { sessionLimits } from './sessions-in-force.ts';

/** A session as the browser gets it: the token goes into the cookie and is kept nowhere. */
export interface StartedSession {
  id: string;
  token: string;
  csrfToken: string;
}

/**
 * Starts a browser session with an id, a cookie and a CSRF token of its own (decisions.md §2).
 * @param input.former the session it takes the place of: whoever knew its cookie knows nothing of the new one
 */
export async function startSession(ctx: CommandContext, input: { userId: number | null; former: string | null }): Promise<StartedSession> {
  if (input.former !== null) await endSessions(ctx, { id: input.former });
  const present = new Date();
  const times = { createdAt: present, expiresAt: new Date(present.getTime() + sessionLimits.absoluteMs) };
  return insertSession(ctx, { userId: input.userId, ...times, ...inOwnName });
}

/** In whose account a session acts, beside its own. */
export type InAccount = Pick<Session, 'impersonatedUserId' | 'impersonationStartedAt' | 'impersonationExpiresAt'>;

export const inOwnName: InAccount = { impersonatedUserId: null, impersonationStartedAt: null, impersonationExpiresAt: null };

/**
 * Gives a session another id, cookie and CSRF token, with which it goes on: it ends when it would have ended. Nobody is signed in anew.
 * @param former its id until now
 * @throws {DomainError} unauthenticated, when it ended meanwhile: of two requests of one browser the second
 */
export async function renewSession(ctx: CommandContext, former: string, account: InAccount): Promise<StartedSession> {
  const [ended] = await endSessions(ctx, { id: former });
  if (!ended) throw new DomainError('unauthenticated');
  const { userId, createdAt, expiresAt } = ended;
  return insertSession(ctx, { userId, createdAt, expiresAt, ...account });
}

async function insertSession(
  { db }: CommandContext,
  fields: Pick<Session, 'userId' | 'createdAt' | 'expiresAt'> & InAccount,
): Promise<StartedSession> {
  const started = { id: randomUUID(), token: makeToken(), csrfToken: makeToken() };
  await db
    .insertInto('sessions')
    .values({ id: started.id, tokenHash: hashToken(started.token), csrfToken: started.csrfToken, lastSeenAt: new Date(), ...fields })
    .execute();
  return started;
}
