import type { Middleware } from 'koa';
import { randomUUID } from 'node:crypto';
import type { Platform } from '../platform/platform.ts';
import { observeRequest } from './operations/metrics.ts';
import { wideNetworkOf } from './request/client-address.ts';

/** Keeps a well-formed inbound `X-Request-Id` and replaces any other (API-1). */
export const requestId: Middleware = (ctx, next) => {
  const inbound = ctx.get('x-request-id');
  ctx.state.requestId = /^[A-Za-z0-9_-]{8,64}$/.test(inbound) ? inbound : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};

declare module 'koa' {
  interface DefaultState {
    requestId: string;
    /** The path of the matched route as it was defined. */
    route?: string;
    /** The accountable account; under impersonation the administrator. */
    userId?: number | null;
    /** The impersonated account. */
    impersonatedUserId?: number | null;
    /** The API key of the request. */
    keyId?: number | null;
    /** Of a refusal. */
    errorCode?: string;
  }
}

/** Routes that machines ask all the time. */
const isProbe = /^\/(health\/.+|metrics)$/;

/**
 * Writes one log line and one observation for each request, with the route's path, because actual paths contain tokens, and the client's
 * network (/24 or /48) instead of its address. Probes are logged at `debug`. Records the requests of signed-in callers (ACC-33).
 */
export function requestLog({ log, requestRecords }: Pick<Platform, 'log' | 'requestRecords'>): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const millis = performance.now() - startedAt;
    const route = typeof ctx.state.route === 'string' ? ctx.state.route : 'unknown';
    observeRequest(ctx.method, route, ctx.status, millis / 1000);
    log[isProbe.test(route) ? 'debug' : 'info'](
      {
        request_id: ctx.state.requestId,
        method: ctx.method,
        route,
        status: ctx.status,
        ms: Math.round(millis),
        network: wideNetworkOf(ctx.ip),
        user_id: ctx.state.userId ?? undefined,
        impersonated_user_id: ctx.state.impersonatedUserId ?? undefined,
      },
      'request',
    );
    const { userId, keyId = null, errorCode = null } = ctx.state;
    if (typeof userId !== 'number') return;
    requestRecords.record({
      userId,
      keyId,
      requestId: ctx.state.requestId,
      method: ctx.method,
      route,
      status: ctx.status,
      code: errorCode,
      durationMs: Math.round(millis),
      at: new Date(),
    });
  };
}
