import type { Context } from 'koa';
import { timingSafeEqual } from 'node:crypto';
import { baseUrl } from '../../registry/config.ts';
import { DomainError, isDomainError } from '../../errors.ts';
import { accountableUserId, type Actor, impersonatedUserId } from '../../platform/commands/context.ts';
import { databaseOf } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SessionCookie } from '../define-route.ts';
import {
  type Access,
  type Authenticator,
  impersonationOf,
  isAdministrator,
  mustSetUpSecondFactor,
  isClosedToImpersonation,
  isOfBrowsers,
  isOpenToWaiting,
  mayAdminister,
  type Principal,
  type SignedIn,
} from './access.ts';

/** The credential of a request, not yet checked. `unreadable`: an unsupported Authorization scheme. */
export type Credential = { kind: 'key'; secret: string } | { kind: 'session'; token: string } | { kind: 'unreadable' } | null;

/** Reads the credential; a Bearer key takes precedence over a cookie. */
export function readCredential(ctx: Context, isHttps: boolean): Credential {
  const authorization = ctx.get('authorization');
  if (authorization !== '') {
    const [, secret] = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization) ?? [];
    return secret ? { kind: 'key', secret } : { kind: 'unreadable' };
  }
  const token = readSessionCookie(ctx, isHttps);
  return token ? { kind: 'session', token } : null;
}

/**
 * Authenticates the caller and checks the route's access.
 * @param identified called when the caller is identified, even before a refusal; null for unknown credentials
 * @throws {DomainError} unauthenticated, account_blocked, insufficient_scope, forbidden, forbidden_while_impersonating,
 *   browser_session_required, csrf_failed, second_factor_required, second_factor_setup_required
 */
export async function authenticate(
  ctx: Context,
  platform: Platform,
  authenticator: Authenticator,
  access: Access,
  credential: Credential,
  identified: (principal: Principal | null) => void,
): Promise<Principal> {
  if (access.kind === 'public') return { kind: 'anonymous' };
  const principal = await identify(platform, authenticator, credential);
  if (principal !== null) {
    // The security log and the request log name the actor of refusals below.
    const actor = actorOf(principal);
    ctx.state.userId = accountableUserId(actor);
    ctx.state.impersonatedUserId = impersonatedUserId(actor);
    ctx.state.keyId = actor.kind === 'user' ? (actor.apiKeyId ?? null) : null;
  }
  identified(principal);
  if (principal === null) throw new DomainError('unauthenticated');
  requireSecondFactor(platform, access, principal);
  if (access.kind !== 'session' && principal.kind !== 'signed_in') throw new DomainError('unauthenticated');
  if (principal.kind === 'signed_in' && principal.by.kind === 'key' && isOfBrowsers(access))
    throw new DomainError('browser_session_required');
  requireOwnPage(ctx, platform, principal);
  const isImpersonating = impersonationOf(principal) !== null;
  if (isImpersonating && isClosedToImpersonation(access)) throw new DomainError('forbidden_while_impersonating');
  if (principal.kind === 'signed_in') requireRights(access, principal, isImpersonating);
  return principal;
}

/**
 * Refuses a session whose second factor was not given, and an administrator who must set one up first (ACC-28, ACC-31).
 * @throws {DomainError} second_factor_required, second_factor_setup_required
 */
function requireSecondFactor({ config }: Pick<Platform, 'config'>, access: Access, principal: Principal): void {
  if (principal.kind === 'anonymous_session' && principal.session.waitingUserId !== null && !isOpenToWaiting(access))
    throw new DomainError('second_factor_required');
  if (access.isBeforeSecondFactor === true || principal.kind !== 'signed_in') return;
  // Only administrators impersonate.
  const administrator = impersonationOf(principal)?.administrator;
  const accountable = administrator === undefined ? principal.user : { ...administrator, role: 'administrator' as const };
  if (mustSetUpSecondFactor(config, accountable)) throw new DomainError('second_factor_setup_required');
}

/** @throws {DomainError} forbidden, insufficient_scope */
function requireRights(access: Access, principal: SignedIn, isImpersonating: boolean): void {
  if (access.kind === 'administrator' && !isAdministrator(principal)) throw new DomainError('forbidden');
  // Only administrators impersonate, so an impersonating caller is one.
  if (access.kind === 'impersonator' && !isAdministrator(principal) && !isImpersonating) throw new DomainError('forbidden');
  if ('scope' in access && !principal.scopes.includes(access.scope)) throw new DomainError('insufficient_scope', { scope: access.scope });
}

/** @returns null for an unknown key; an expired session leaves the browser without one */
async function identify(platform: Platform, authenticator: Authenticator, credential: Credential): Promise<Principal | null> {
  if (credential === null) return { kind: 'anonymous' };
  if (credential.kind === 'unreadable') return null;
  const db = databaseOf(platform.orm.em.fork());
  if (credential.kind === 'session') return (await authenticator.bySession(db, credential.token, platform.clock)) ?? { kind: 'anonymous' };
  return authenticator.byKey(db, credential.secret, platform.clock);
}

/**
 * Returns whether a caller may still have the answer of a route, by the rules of a new request: with the same credential, in the same
 * account and role (ACC-35).
 */
export async function isStillAllowed(
  platform: Platform,
  authenticator: Authenticator,
  access: Access,
  { credential, principal }: { credential: Credential; principal: SignedIn },
): Promise<boolean> {
  const present = await identify(platform, authenticator, credential);
  if (present?.kind !== 'signed_in' || present.user.id !== principal.user.id || present.user.role !== principal.user.role) return false;
  const impersonation = impersonationOf(present);
  if (impersonation?.administrator.id !== impersonationOf(principal)?.administrator.id) return false;
  try {
    requireSecondFactor(platform, access, present);
    requireRights(access, present, impersonation !== null);
    return true;
  } catch (error) {
    if (isDomainError(error)) return false;
    throw error;
  }
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Checks the CSRF token and the origin, because browsers send cookies also from pages of other sites. */
function requireOwnPage(ctx: Context, { config }: Pick<Platform, 'config'>, principal: Principal): void {
  if (safeMethods.has(ctx.method)) return;
  if (principal.kind === 'signed_in' && principal.by.kind === 'key') return;
  const ownOrigin = new URL(baseUrl(config)).origin;
  if (!isFromOwnPage(ctx, ownOrigin)) throw new DomainError('csrf_failed', undefined, `Only pages of ${ownOrigin} may send changes.`);
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

/**
 * Returns whether the request may come from a page of this service, by `Origin`, which browsers send with every changing request, else by
 * `Sec-Fetch-Site` (ASVS 3.5.1). Programs send neither; only the token protects them.
 */
function isFromOwnPage(ctx: Context, ownOrigin: string): boolean {
  const origin = ctx.get('origin');
  if (origin !== '') return origin === ownOrigin;
  const site = ctx.get('sec-fetch-site');
  return site === '' || site === 'same-origin' || site === 'none';
}

/** Returns the actor for commands and the audit: under impersonation the administrator, with the user's rights. */
export function actorOf(principal: Principal): Actor {
  if (principal.kind !== 'signed_in') return { kind: 'anonymous' };
  const impersonation = impersonationOf(principal);
  if (impersonation !== null)
    return { kind: 'user', userId: impersonation.administrator.id, isAdministrator: false, impersonatedUserId: principal.user.id };
  const person = { kind: 'user', userId: principal.user.id, isAdministrator: mayAdminister(principal), impersonatedUserId: null } as const;
  return principal.by.kind === 'key' ? { ...person, apiKeyId: principal.by.key.id } : person;
}

/**
 * Name of the session cookie. With https a `__Host-` cookie: browsers accept it only over https and for exactly this host, so that another
 * subdomain cannot set one (ASVS 3.3.1).
 */
export function sessionCookieName(isHttps: boolean): string {
  return isHttps ? '__Host-registry_session' : 'registry_session';
}

/** Reads the token of a request's cookie; undefined without one, or with a wrong signature. */
function readSessionCookie(ctx: Context, isHttps: boolean): string | undefined {
  return ctx.cookies.get(sessionCookieName(isHttps), { signed: true });
}

/** Sets and clears the session cookie on the answer. */
export function sessionCookie(ctx: Context, isHttps: boolean): SessionCookie {
  const name = sessionCookieName(isHttps);
  const options = {
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps,
    signed: true,
    overwrite: true,
    path: '/',
  } as const;
  // Behind a proxy the connection is plain; the base URL decides whether browsers use https.
  if (options.secure) ctx.cookies.secure = true;
  return {
    set: (token) => ctx.cookies.set(name, token, options),
    clear: () => ctx.cookies.set(name, null, options),
  };
}
