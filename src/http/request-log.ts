import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { observeRequest } from './metrics.ts';

/** One line and one observation for each request. The path as defined, not as called: addresses hold tokens. */
export function requestLog(log: Logger): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const millis = performance.now() - startedAt;
    const route = typeof ctx.state.route === 'string' ? ctx.state.route : 'unknown';
    observeRequest(ctx.method, route, ctx.status, millis / 1000);
    log.info(
      {
        request_id: ctx.state.requestId,
        method: ctx.method,
        route,
        status: ctx.status,
        ms: Math.round(millis),
        user_id: ctx.state.userId ?? undefined,
        impersonated_user_id: ctx.state.impersonatedUserId ?? undefined,
      },
      'request',
    );
  };
}
