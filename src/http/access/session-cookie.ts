import type { Context } from 'koa';
import type { SessionCookie } from '../define-route.ts';

/**
 * Name of the session cookie. With https a `__Host-` cookie: browsers accept it only over https and for exactly this host, so that another
 * subdomain cannot set one (ASVS 3.3.1).
 */
export function sessionCookieName(isHttps: boolean): string {
  return isHttps ? '__Host-registry_session' : 'registry_session';
}

/** Reads the token of a request's cookie; undefined without one, or with a wrong signature. */
export function readSessionCookie(ctx: Context, isHttps: boolean): string | undefined {
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
