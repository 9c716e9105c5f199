import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { authenticateApiKey } from '../accounts/authenticate-api-key.ts';
import { authenticateSession } from '../accounts/authenticate-session.ts';
import { DomainError } from '../errors.ts';
import type { Actor } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { isAdministrator } from './access.ts';
import type { Access, Principal } from './access.ts';

export const sessionCookieName = 'registry_session';

/** What the request shows to prove who it is; nothing is checked yet. */
export type Credential = { kind: 'key'; secret: string } | { kind: 'session'; token: string } | null;

/** A Bearer key wins over a cookie. @throws {DomainError} unauthenticated, for an Authorization header of another kind */
export function readCredential(ctx: Context): Credential {
  const authorization = ctx.get('authorization');
  if (authorization !== '') {
    const [, secret] = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization) ?? [];
    if (!secret) throw new DomainError('unauthenticated');
    return { kind: 'key', secret };
  }
  const token = ctx.cookies.get(sessionCookieName, { signed: true });
  return token ? { kind: 'session', token } : null;
}

/**
 * Finds out who calls and whether the route is open to them (service.md "Authentication").
 * @throws {DomainError} unauthenticated, account_blocked, insufficient_scope, forbidden, browser_session_required, csrf_failed
 */
export async function authenticate(ctx: Context, platform: Platform, access: Access, credential: Credential): Promise<Principal> {
  if (access.kind === 'public') return { kind: 'stranger' };
  const principal = await identify(platform, credential);
  if (access.kind === 'session') {
    if (principal.kind === 'signed_in' && principal.by.kind === 'key') throw new DomainError('browser_session_required');
    requireCsrfToken(ctx, principal);
    return principal;
  }
  if (principal.kind !== 'signed_in') throw new DomainError('unauthenticated');
  if (access.kind === 'browser' && principal.by.kind !== 'session') throw new DomainError('browser_session_required');
  requireCsrfToken(ctx, principal);
  if (access.kind === 'administrator' && !isAdministrator(principal)) throw new DomainError('forbidden');
  if ('scope' in access && !principal.scopes.includes(access.scope)) throw new DomainError('insufficient_scope', { scope: access.scope });
  return principal;
}

async function identify(platform: Platform, credential: Credential): Promise<Principal> {
  if (credential === null) return { kind: 'stranger' };
  const em = platform.orm.em.fork();
  if (credential.kind === 'session') return (await authenticateSession(em, credential.token)) ?? { kind: 'stranger' };
  const signedIn = await authenticateApiKey(em, credential.secret, await platform.clock.now(em));
  if (!signedIn) throw new DomainError('unauthenticated');
  return signedIn;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Cookies travel by themselves, so a changing request by cookie must also show the token (service.md "Authentication" 3). */
function requireCsrfToken(ctx: Context, principal: Principal): void {
  if (safeMethods.has(ctx.method)) return;
  if (principal.kind === 'signed_in' && principal.by.kind === 'key') return;
  const session =
    principal.kind === 'anonymous_session'
      ? principal.session
      : principal.kind === 'signed_in' && principal.by.kind === 'session'
        ? principal.by.session
        : null;
  const given = Buffer.from(ctx.get('x-csrf-token'));
  const wanted = Buffer.from(session?.csrfToken ?? '');
  if (wanted.length === 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new DomainError('csrf_failed');
}

/** The actor that commands and the audit know. */
export function actorOf(principal: Principal): Actor {
  if (principal.kind !== 'signed_in') return { kind: 'anonymous' };
  return { kind: 'user', userId: principal.user.id, isAdministrator: isAdministrator(principal), impersonatedUserId: null };
}
