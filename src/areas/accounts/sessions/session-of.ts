import { DomainError } from '../../../errors.ts';
import type { BrowserSession, Principal } from '../../../http/access/access.ts';

/** The browser session of a request, null when it came without one. */
export function sessionOf(principal: Principal): BrowserSession | null {
  if (principal.kind === 'anonymous_session') return principal.session;
  return principal.kind === 'signed_in' && principal.by.kind === 'session' ? principal.by.session : null;
}

/** @throws {DomainError} unauthenticated, when the request came without a session */
export function requireSession(principal: Principal): BrowserSession {
  const session = sessionOf(principal);
  if (!session) throw new DomainError('unauthenticated', undefined, 'Call GET /session first: there is no browser session.');
  return session;
}
