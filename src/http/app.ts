import { Router } from '@koa/router';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { baseUrl } from '../config.ts';
import { DomainError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import { apiPrefix } from './api-prefix.ts';
import { actorOf, authenticate, readCredential, sessionCookieName } from './authenticate.ts';
import type { Route, SessionCookie } from './define-route.ts';
import { errorWriter } from './error-writer.ts';
import { withBody } from './parse-body.ts';
import type { Reply } from './reply.ts';
import { createRateLimits } from './rate-limit.ts';
import type { CountRequest } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { requestLog } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';
import { validateParts } from './validate.ts';

/** Puts the routes together into the Koa application; it opens nothing and listens nowhere. */
export function createApp(platform: Platform, routes: readonly Route[], sessionSecret: string): Koa {
  const app = new Koa({ proxy: platform.config.TRUST_PROXY, keys: [sessionSecret] });
  const routers = createRouters(platform, routes);
  const pageFamilies = new Set(routes.filter(({ answersPeople }) => answersPeople).map((route) => familyOf(fullPath(route))));
  app.use(requestId);
  app.use(requestLog(platform.log));
  app.use(securityHeaders(baseUrl(platform.config).startsWith('https:')));
  app.use(errorWriter(platform.log, (ctx) => pageFamilies.has(familyOf(ctx.path))));
  app.use(refuseMethodsOfLiteralPaths(routes));
  app.use((ctx, next) => routers.get(familyOf(ctx.path))?.dispatch(ctx, next) ?? next());
  app.use(refuseUnknown(routers));
  // What fails after the headers are out (a client that went away in the middle of a file) reaches only here.
  app.on('error', (error: unknown, ctx?: Context) => {
    const isClientGone =
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');
    if (!isClientGone) platform.log.error({ err: error, request_id: ctx?.state.requestId }, 'response failed');
  });
  return app;
}

/** The routes of one family of addresses. */
interface FamilyRouter {
  router: Router;
  dispatch: Middleware;
}

/** A router for each family: holding a request against every route of the service in turn would cost more than the answer. */
function createRouters(platform: Platform, routes: readonly Route[]): Map<string, FamilyRouter> {
  const countRequest = createRateLimits(platform.config);
  const routers = new Map<string, FamilyRouter>();
  for (const [family, members] of Map.groupBy(routes, (route) => familyOf(fullPath(route)))) {
    const router = new Router();
    for (const route of members) router.register(fullPath(route), [route.method.toLowerCase()], handle(platform, route, countRequest));
    // It adds the parameters it is typed to find; Koa's own `use` takes it so.
    routers.set(family, { router, dispatch: router.routes() as unknown as Middleware });
  }
  return routers;
}

/** `/api/v1/applications` of `/api/v1/applications/12/submit`, `/v` of `/v/{token}`. */
function familyOf(path: string): string {
  return path.split('/', path.startsWith(`${apiPrefix}/`) ? 4 : 2).join('/');
}

/** rate limit -> authenticate -> csrf -> body -> validate -> handler (design.md "A request's path"). */
function handle(platform: Platform, route: Route, countRequest: CountRequest): Middleware {
  const mayHaveBody = route.method !== 'GET';
  const isHttps = baseUrl(platform.config).startsWith('https:');
  const bodySchema = route.request.body ?? (mayHaveBody && route.bodyKind === 'json' ? noBody : undefined);
  return async (ctx) => {
    ctx.state.route = route.path;
    const credential = route.access.kind === 'public' ? null : readCredential(ctx);
    if (route.isRateLimited)
      await countRequest(ctx, route.access, credential === null ? null : credential.kind === 'key' ? credential.secret : credential.token);
    const principal = await authenticate(ctx, platform, route.access, credential);
    const actor = actorOf(principal);
    ctx.state.userId = actor.kind === 'user' ? actor.userId : null;
    await withBody(ctx, route.bodyKind, mayHaveBody, async (body, upload) => {
      const { request } = route;
      const valid = validateParts(
        [
          { part: 'params', schema: request.params, value: { ...(ctx['params'] as Record<string, string>) } },
          { part: 'query', schema: request.query, value: { ...ctx.query } },
          { part: 'headers', schema: request.headers, value: pickHeaders(ctx, request.headers) },
          { part: 'body', schema: bodySchema, value: body },
        ],
        route.bodyKind === 'upload' && !upload ? [missingFile] : [],
      );
      const reply = await route.handler({
        params: valid.params as never,
        query: valid.query as never,
        headers: valid.headers as never,
        body: valid.body,
        upload,
        principal: principal as never,
        caller: { actor, requestId: ctx.state.requestId, ip: ctx.ip },
        idempotencyKey: readIdempotencyKey(ctx),
        platform,
        cookies: sessionCookie(ctx, isHttps),
        // RFC 9110 §14.2: a range is asked for by GET alone; HEAD tells of the whole file.
        header: (name) => (ctx.method === 'HEAD' && name === 'range' ? undefined : ctx.get(name) || undefined),
      });
      write(ctx, route, reply, platform.config.NODE_ENV === 'test');
    });
  };
}

function write(ctx: Context, route: Route, reply: Reply<unknown>, checkShape: boolean): void {
  for (const [name, value] of Object.entries(reply.headers)) ctx.set(name, value);
  ctx.status = reply.status;
  if (reply.kind === 'body') {
    ctx.body = reply.body;
    if (reply.body instanceof Readable) ctx.res.once('close', () => (reply.body as Readable).destroy());
    return;
  }
  // In tests every answer is held against its published shape, so that the document and the code cannot part.
  const data = checkShape && route.response.data ? route.response.data.parse(reply.data) : reply.data;
  // As text: Koa would look up what it is and measure it again.
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify({ data, meta: reply.meta, request_id: ctx.state.requestId });
}

/** A route that takes no body takes an empty one at the most: unknown fields are an error everywhere (decisions.md §1). */
const noBody = z.strictObject({}).optional();
const missingFile = { path: 'body.file', code: 'required', message: 'is required' };

function pickHeaders(ctx: Context, schema: Route['request']['headers']): Record<string, unknown> {
  if (!schema) return {};
  return Object.fromEntries(Object.keys(schema.shape).map((name) => [name, ctx.get(name) || undefined]));
}

function readIdempotencyKey(ctx: Context): string | null {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new DomainError('validation_failed', {
    fields: [{ path: 'headers.idempotency-key', code: 'invalid_format', message: 'must be 1-255 visible ASCII characters' }],
  });
}

function sessionCookie(ctx: Context, isHttps: boolean): SessionCookie {
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
    set: (token) => ctx.cookies.set(sessionCookieName, token, options),
    clear: () => ctx.cookies.set(sessionCookieName, null, options),
  };
}

function fullPath(route: Route): string {
  return route.atRoot ? route.path : apiPrefix + route.path;
}

/** `PATCH /profiles/summary` is a method that this address does not take, not a change of the profile "summary". */
function refuseMethodsOfLiteralPaths(routes: readonly Route[]): Middleware {
  const methods = Map.groupBy(
    routes.filter(({ path }) => !path.includes(':')),
    fullPath,
  );
  return (ctx, next) => {
    const allowed: string[] | undefined = methods.get(ctx.path)?.map(({ method }) => method);
    const isTaken = allowed === undefined || allowed.includes(ctx.method) || (ctx.method === 'HEAD' && allowed.includes('GET'));
    if (!isTaken) refuseMethod(ctx, allowed);
    return next();
  };
}

function refuseMethod(ctx: Context, allowed: Iterable<string>): never {
  ctx.set('Allow', [...allowed].join(', '));
  throw new DomainError('method_not_allowed');
}

function refuseUnknown(routers: ReadonlyMap<string, FamilyRouter>): Middleware {
  return (ctx) => {
    const matched = routers.get(familyOf(ctx.path))?.router.match(ctx.path, ctx.method).path ?? [];
    const allowed = new Set(matched.flatMap((layer) => layer.methods));
    if (allowed.size === 0) throw new DomainError('not_found', undefined, 'There is no such address.');
    refuseMethod(ctx, allowed);
  };
}
