import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

/** Keeps a well-formed inbound `X-Request-Id`, replaces anything else (decisions.md §1). */
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
    /** Who answers for the request: under impersonation the administrator. */
    userId?: number | null;
    /** Whose account the administrator acts in. */
    impersonatedUserId?: number | null;
  }
}
