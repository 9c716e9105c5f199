import type { Context } from 'koa';
import type { SessionCookie } from '../define-route.ts';

/**
 * Name of the cookie that holds a browser's session. With https it is a `__Host-` cookie: browsers then take it only over https, for this host
 * alone and the whole of it, so that no neighbouring host can plant one (ASVS 3.3.1).
 */
export function sessionCookieName(isHttps: boolean): string {
  return isHttps ? '__Host-registry_session' : 'registry_session';
}

/** The token in the cookie of a request; undefined without one, and for one that was not signed by us. */
export function readSessionCookie(ctx: Context, isHttps: boolean): string | undefined {
  return ctx.cookies.get(sessionCookieName(isHttps), { signed: true });
}

/** Sets and clears it on the answer. */
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
  // Behind a proxy the connection itself is plain; the base address says whether browsers see https.
  if (options.secure) ctx.cookies.secure = true;
  return {
    set: (token) => ctx.cookies.set(name, token, options),
    clear: () => ctx.cookies.set(name, null, options),
  };
}
