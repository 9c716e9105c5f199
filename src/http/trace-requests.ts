import type { Middleware } from 'koa';
import { tracing } from '../platform/tracing/tracing.ts';

/** Runs each request in a span of its own, which continues the client's trace; only while traces are exported. */
export const traceRequests: Middleware = async (ctx, next) => {
  if (tracing === null) return next();
  const describe = () => {
    const route = ctx.state.route ?? 'unknown';
    const facts = {
      'http.request.method': ctx.method,
      'http.route': route,
      'http.response.status_code': ctx.status,
      'registry.request_id': ctx.state.requestId,
    };
    return { name: `${ctx.method} ${route}`, facts };
  };
  await tracing.inRequest(ctx.req.headers, describe, next);
};
