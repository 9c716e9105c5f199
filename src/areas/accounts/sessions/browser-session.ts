import { DomainError } from '../../../errors.ts';
import type { BrowserSession, Principal } from '../../../http/access/access.ts';
import type { Caller } from '../../../platform/commands/context.ts';

/** Returns the browser session of a request; null for a request without one. */
export function sessionOf(principal: Principal): BrowserSession | null {
  if (principal.kind === 'anonymous_session') return principal.session;
  return principal.kind === 'signed_in' && principal.by.kind === 'session' ? principal.by.session : null;
}

/** Returns the browser session of a request. @throws {DomainError} unauthenticated, for a request without one */
export function requireSession(principal: Principal): BrowserSession {
  const session = sessionOf(principal);
  if (!session) throw new DomainError('unauthenticated', undefined, 'Call GET /session first: there is no browser session.');
  return session;
}

/**
 * Returns the caller of a request whose commands are refused once its browser session has ended (`checkActor`). For a request that gives
 * lasting access: a new password ends the access that it finds, not what a request under way creates after it (ACC-18). A command that ends
 * its own session cannot be bound to it and checks the session itself (`lockSessions`, `renewSession`).
 */
export function bindToSession(caller: Caller, principal: Principal): Caller {
  const session = sessionOf(principal);
  return caller.actor.kind === 'user' && session !== null ? { ...caller, actor: { ...caller.actor, sessionId: session.id } } : caller;
}

const longestUserAgent = 200;

/** Reads the browser's name for the list of sessions (ACC-26): at most 200 characters, without control characters; null without one. */
export function readUserAgent(header: (name: string) => string | undefined): string | null {
  const name = (header('user-agent') ?? '').replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return name === '' ? null : name.slice(0, longestUserAgent);
}
