import { Router } from '@koa/router';
import Keygrip from 'keygrip';
import Koa, { type Context, type Middleware } from 'koa';
import { z } from 'zod';
import { Readable } from 'node:stream';
import { baseUrl } from '../registry/config.ts';
import { DomainError, type FieldProblem } from '../errors.ts';
import { readMovedClock } from '../platform/time/clock.ts';
import { query } from '../platform/commands/command.ts';
import { credentialOf } from '../platform/commands/context.ts';
import { databaseOf } from '../platform/database/database.ts';
import { errorCode } from '../platform/logging/error-code.ts';
import { IdempotentRequest } from '../platform/commands/idempotent-request.ts';
import { causeOf } from '../platform/logging/log.ts';
import type { Platform } from '../platform/platform.ts';
import { secretsIn } from '../platform/secrets/secret-list.ts';
import { tracing } from '../platform/tracing/tracing.ts';
import { type Authenticator, impersonationOf, type Principal } from './access/access.ts';
import { actorOf, authenticate, isStillAllowed, readCredential, sessionCookie } from './access/authenticate.ts';
import { cutOffWithAccess } from './access/cut-off.ts';
import { impersonatedReadOf } from './access/impersonated-reads.ts';
import { createRateLimits, type RateLimits } from './access/rate-limit.ts';
import { recordRefusals } from './access/record-refusals.ts';
import { answerOnce, takesIdempotencyKey } from './answer-once.ts';
import { apiPrefix } from './api-prefix.ts';
import { announcesBody } from './connections/bound-bodies.ts';
import type { Route } from './define-route.ts';
import { requestId, requestLog } from './request-log.ts';
import { clientAddressOf, proxiesIn } from './request/client-address.ts';
import { type SentFile, withBody } from './request/parse-body.ts';
import { parseQuery, validateParts } from './request/validate.ts';
import { errorWriter } from './response/error-writer.ts';
import { createShell, type Shell } from './response/page.ts';
import type { Reply, SentReply } from './response/reply.ts';

/** Sets headers of every response; pages with images or styles extend their own policy (ASVS 3.4). Only keys and lists have a CORS header. */
function securityHeaders(isHttps: boolean): Middleware {
  const headers = Object.entries({
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    ...(isHttps ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
  });
  return (ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    return next();
  };
}

/** Codes of a client that disconnects; the last one in the middle of its request. */
const clientGone: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'HPE_INVALID_EOF_STATE']);

/** Builds the Koa application from the routes, without opening connections or listening. */
export function createApp(platform: Platform, routes: readonly Route[], authenticator: Authenticator, sessionSecret: string): Koa {
  // Koa's `proxy` stays off: it trusts the leftmost entry of X-Forwarded-For, and X-Forwarded-Proto and -Host.
  const app = new Koa();
  // Koa's default signs cookies with SHA-1.
  app.keys = new Keygrip([...secretsIn(sessionSecret)], 'sha256');
  const shell = createShell(platform.brand);
  const routers = createRouters(platform, routes, { shell, authenticator, limits: createRateLimits(platform.config), sessionSecret });
  const pageFamilies = new Set(routes.filter(({ answersPeople }) => answersPeople).map((route) => familyOf(fullPath(route))));
  const isProxy = proxiesIn(platform.config.TRUST_PROXY);
  app.use((ctx, next) => {
    ctx.request.ip = clientAddressOf(ctx.req, isProxy);
    return next();
  });
  app.use(requestId);
  app.use(traceRequests);
  app.use(requestLog(platform));
  app.use(securityHeaders(baseUrl(platform.config).startsWith('https:')));
  app.use(errorWriter(platform.log, shell, (ctx) => pageFamilies.has(familyOf(ctx.path)) || isForPeople(ctx)));
  app.use(refuseMethodsOfLiteralPaths(routes));
  app.use((ctx, next) => routers.get(familyOf(ctx.path))?.dispatch(ctx, next) ?? next());
  app.use(refuseUnknown(routers));
  // Only errors after the headers were sent arrive here, such as a client that disconnects during a download.
  app.on('error', (error: unknown, ctx?: Context) => {
    if (!clientGone.has(errorCode(error) ?? '')) platform.log.error({ err: error, request_id: ctx?.state.requestId }, 'response failed');
  });
  return app;
}

/** The routes of one path family. */
interface FamilyRouter {
  router: Router;
  dispatch: Middleware;
}

/** Creates a router for each path family: matching a request against every route in turn would cost more than the answer. */
function createRouters(platform: Platform, routes: readonly Route[], gates: Gates): Map<string, FamilyRouter> {
  const routers = new Map<string, FamilyRouter>();
  for (const [family, members] of Map.groupBy(routes, (route) => familyOf(fullPath(route)))) {
    const router = new Router();
    for (const route of members)
      router.register(
        fullPath(route),
        [route.method.toLowerCase()],
        recordRefusals(platform.securityLog, route, handle(platform, route, gates)),
      );
    // The router adds the parameters that its type requires; Koa's `use` accepts it this way.
    routers.set(family, { router, dispatch: router.routes() as unknown as Middleware });
  }
  return routers;
}

/** `/api/v1/applications` of `/api/v1/applications/12/submit`, `/v` of `/v/{token}`. */
function familyOf(path: string): string {
  return path.split('/', path.startsWith(`${apiPrefix}/`) ? 4 : 2).join('/');
}

interface Gates {
  shell: Shell;
  authenticator: Authenticator;
  limits: RateLimits;
  sessionSecret: string;
}

/** rate limits -> authenticate -> csrf -> repeat? -> admit -> body -> validate -> handler */
function handle(platform: Platform, route: Route, { shell, authenticator, limits, sessionSecret }: Gates): Middleware {
  const mayHaveBody = route.method !== 'GET' && (route.method !== 'DELETE' || route.request.body !== undefined);
  const isHttps = baseUrl(platform.config).startsWith('https:');
  const read = impersonatedReadOf(route);
  const bodySchema = route.request.body ?? (mayHaveBody && route.bodyKind === 'json' ? noBody : undefined);
  return async (ctx) => {
    ctx.state.route = route.path;
    if (route.isRateLimited) limits.countRequest(ctx, route);
    if (!mayHaveBody && announcesBody(ctx.req)) {
      ctx.set('Connection', 'close');
      throw new DomainError('body_not_allowed');
    }
    const credential = route.access.kind === 'public' ? null : readCredential(ctx, isHttps);
    const principal = await authenticate(ctx, platform, authenticator, route.access, credential, (caller) => {
      if (route.isRateLimited) limits.countCaller(ctx, caller);
    });
    const actor = actorOf(principal);
    const idempotencyKey = readIdempotencyKey(ctx);
    const idempotency =
      idempotencyKey.key !== null && takesIdempotencyKey(route)
        ? new IdempotentRequest(
            { credential: credentialOf(actor), rightsNarrowedAt: narrowedAt(principal) },
            idempotencyKey.key,
            sessionSecret,
          )
        : null;
    if (route.admit) {
      await idempotency?.find(databaseOf(platform.orm.em.fork()));
      // A repeat counts against no quota: the first request may have used up the last of it.
      if (idempotency?.isRepeat !== true)
        await route.admit({
          principal: principal as never,
          platform,
          contentLength: ctx.request.length ?? null,
          header: (name) => ctx.get(name) || undefined,
        });
    }
    await withBody(ctx, route.bodyKind, mayHaveBody, async (body, sentFile) => {
      const reply =
        idempotency === null
          ? await respond(body, sentFile)
          : await answerOnce(platform, idempotency, { method: ctx.method, url: ctx.url, body, ...sentFile }, () => respond(body, sentFile));
      write(ctx, route, reply, platform.config.NODE_ENV === 'test');
      // Live streams check their sessions themselves, all of them at once.
      if (reply.kind === 'body' && reply.body instanceof Readable && principal.kind === 'signed_in' && route.response.events === undefined)
        cutOffWithAccess(
          ctx.res,
          () => isStillAllowed(platform, authenticator, route.access, { credential, principal }),
          (error) => {
            const facts = { request_id: ctx.state.requestId, user_id: ctx.state.userId };
            if (error === undefined) platform.log.info(facts, 'answer cut off: its caller lost the access');
            else platform.log.warn({ ...facts, cause: causeOf(error) }, 'cannot check the caller of a long answer; retrying');
          },
        );
    });

    async function respond(body: unknown, { upload, digest }: SentFile): Promise<SentReply> {
      const { request } = route;
      const caller = { actor, requestId: ctx.state.requestId, ip: ctx.ip, idempotency };
      const takesFile = route.bodyKind === 'upload' || route.bodyKind === 'digest';
      const missing = takesFile && !upload && !digest ? [missingFile] : [];
      const valid = validateParts(
        [
          { part: 'params', schema: request.params, value: { ...(ctx['params'] as Record<string, string>) } },
          { part: 'query', schema: request.query, value: parseQuery(ctx.querystring) },
          { part: 'headers', schema: request.headers, value: pickHeaders(ctx, request.headers) },
          { part: 'body', schema: bodySchema, value: body },
        ],
        [...missing, ...idempotencyKey.problems],
        route.longestText,
      );
      const reply = await route.handler({
        params: valid.params as never,
        query: valid.query as never,
        headers: valid.headers as never,
        body: valid.body,
        upload,
        digest,
        principal: principal as never,
        caller,
        idempotencyKey: idempotency?.id ?? null,
        platform,
        cookies: sessionCookie(ctx, isHttps),
        get signal() {
          return goneSignal(ctx);
        },
        // RFC 9110 §14.2: ranges apply to GET only; HEAD describes the whole file.
        header: (name) => (ctx.method === 'HEAD' && name === 'range' ? undefined : ctx.get(name) || undefined),
      });
      if (principal.kind === 'signed_in' && read !== null && impersonationOf(principal) !== null) {
        const id = read.recordParameter === null ? undefined : (ctx['params'] as Record<string, string>)[read.recordParameter];
        const subject = id === undefined ? { kind: 'user', id: principal.user.id } : { kind: read.kind, id };
        try {
          await query(platform, (db, now) => authenticator.recordRead(db, caller, { ...read, subject }, now));
        } catch (error) {
          if (reply.kind === 'body' && reply.body instanceof Readable) reply.body.destroy();
          throw error;
        }
      }
      return reply.kind === 'page' ? dress(platform, shell, reply) : reply;
    }
  };
}

/** Puts the shell around a page. A page that tells the sandbox clock is not cached. */
async function dress(platform: Platform, shell: Shell, reply: Extract<Reply<never>, { kind: 'page' }>): Promise<SentReply> {
  const { page, status, headers } = reply;
  const movedClock = platform.clock.sandbox ? await query(platform, readMovedClock) : null;
  const ofPage = movedClock === null ? headers : {};
  return { kind: 'body', status, body: shell.render(page, movedClock), headers: { ...shell.headersOf(page), ...ofPage } };
}

/** Whether a browser asks for a page outside the API. */
function isForPeople(ctx: Context): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  return isRead && !ctx.path.startsWith(`${apiPrefix}/`) && ctx.accepts('json', 'html') === 'html';
}

function narrowedAt(principal: Principal): Date | null {
  return principal.kind === 'signed_in' ? principal.user.rightsNarrowedAt : null;
}

/** Created only for the few handlers that use it. */
function goneSignal({ res }: Context): AbortSignal {
  const controller = new AbortController();
  const abortUnlessAnswered = () => {
    // `error-writer.ts` recognizes a disconnected client by this code.
    if (!res.writableFinished) controller.abort(Object.assign(new Error('the client disconnected'), { code: 'ECONNABORTED' }));
  };
  if (res.closed) abortUnlessAnswered();
  else res.once('close', abortUnlessAnswered);
  return controller.signal;
}

/** A browser puts the headers of a 304 onto its stored copy (RFC 9111 §3.2), which has its own. */
const policiesOfContent = ['Content-Security-Policy', 'Cross-Origin-Resource-Policy'];

function write(ctx: Context, route: Route, reply: SentReply, checkResponse: boolean): void {
  if (reply.status === 304) for (const name of policiesOfContent) ctx.remove(name);
  for (const [name, value] of Object.entries(reply.headers)) ctx.set(name, value);
  ctx.status = reply.status;
  if (reply.kind === 'body') {
    ctx.body = reply.body;
    if (reply.body instanceof Readable) ctx.res.once('close', () => (reply.body as Readable).destroy());
    return;
  }
  // Tests check every answer against its published schema, so that document and code cannot drift apart.
  if (checkResponse && reply.status === 201) requireLocation(route, reply.headers['Location'] ?? '');
  const data = checkResponse && route.response.data ? route.response.data.parse(reply.data) : reply.data;
  // As text: Koa would detect the type and measure the length again.
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify({ data, meta: reply.meta, request_id: ctx.state.requestId });
}

function requireLocation(route: Route, path: string): void {
  const published = (apiPrefix + (route.response.location ?? '')).split('/');
  if (!isMatched(published, path.split('/'))) throw new Error(`${route.name} publishes the location ${published.join('/')}, not ${path}`);
}

/** Runs each request in a span of its own, which continues the client's trace; only while traces are exported. */
const traceRequests: Middleware = async (ctx, next) => {
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

/** A route without a body accepts at most an empty object: unknown fields are refused everywhere (API-2). */
const noBody = z.strictObject({}).optional();
const missingFile = { path: 'body.file', code: 'required', message: 'is required' };

function pickHeaders(ctx: Context, schema: Route['request']['headers']): Record<string, unknown> {
  if (!schema) return {};
  return Object.fromEntries(Object.keys(schema.shape).map((name) => [name, ctx.get(name) || undefined]));
}

function readIdempotencyKey(ctx: Context): { key: string | null; problems: FieldProblem[] } {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return { key: null, problems: [] };
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return { key, problems: [] };
  const problem = { path: 'headers.idempotency-key', code: 'invalid_format', message: 'must be 1-255 visible ASCII characters' };
  return { key: null, problems: [problem] };
}

function fullPath(route: Route): string {
  return route.atRoot ? route.path : apiPrefix + route.path;
}

/** Answers 405 when a literal segment would match a parameter: `PATCH /profiles/summary` must not change the profile "summary". */
function refuseMethodsOfLiteralPaths(routes: readonly Route[]): Middleware {
  const methods = Map.groupBy(routes, fullPath);
  const paths = [...methods.keys()].map((path) => path.split('/'));
  // Paths with parameters that another path could match.
  const ambiguous = [...methods]
    .filter(([path]) => path.includes(':'))
    .map(([path, same]) => ({ segments: path.split('/'), allowed: same.map(({ method }): string => method) }))
    .filter(({ segments }) => paths.some((other) => isMoreLiteral(segments, other)));
  return (ctx, next) => {
    const { path, method } = ctx;
    const literal = path.includes(':') ? undefined : methods.get(path)?.map((route): string => route.method);
    const allowed = literal ?? (ambiguous.length === 0 ? undefined : findAllowed(ambiguous, path));
    const isAllowed = allowed === undefined || allowed.includes(method) || (method === 'HEAD' && allowed.includes('GET'));
    if (!isAllowed) refuseMethod(ctx, allowed);
    return next();
  };
}

function findAllowed(addresses: readonly { segments: readonly string[]; allowed: string[] }[], path: string): string[] | undefined {
  const segments = path.split('/');
  return addresses.find((address) => isMatched(address.segments, segments))?.allowed;
}

/** Returns whether each segment of an address matches the path's. */
function isMatched(address: readonly string[], path: readonly string[]): boolean {
  return address.length === path.length && address.every((segment, at) => segment.startsWith(':') || segment === path[at]);
}

/** Returns whether an address has literal segments where another has parameters. */
function isMoreLiteral(address: readonly string[], other: readonly string[]): boolean {
  return isMatched(other, address) && address.some((segment, at) => !segment.startsWith(':') && other[at]?.startsWith(':'));
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
