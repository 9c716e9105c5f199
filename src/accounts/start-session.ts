import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../platform/context.ts';
import { hashToken, makeToken } from './secret-tokens.ts';
import { sessionLimits } from './session-limits.ts';

/** A session as the browser gets it: the token goes into the cookie and is kept nowhere. */
export interface StartedSession {
  id: string;
  token: string;
  csrfToken: string;
}

/**
 * Starts a browser session with an id, a cookie and a CSRF token of its own (decisions.md §2).
 * @param input.former the session it takes the place of: whoever knew its cookie knows nothing of the new one
 * @param input.csrfToken a CSRF token that goes on being good, where the page goes on too
 */
export async function startSession(
  { db }: CommandContext,
  input: { userId: number | null; former: string | null; csrfToken?: string },
): Promise<StartedSession> {
  if (input.former !== null) await db.deleteFrom('sessions').where('id', '=', input.former).execute();
  const present = new Date();
  const started = { id: randomUUID(), token: makeToken(), csrfToken: input.csrfToken ?? makeToken() };
  await db
    .insertInto('sessions')
    .values({
      id: started.id,
      tokenHash: hashToken(started.token),
      userId: input.userId,
      csrfToken: started.csrfToken,
      createdAt: present,
      lastSeenAt: present,
      expiresAt: new Date(present.getTime() + sessionLimits.absoluteMs),
    })
    .execute();
  return started;
}
