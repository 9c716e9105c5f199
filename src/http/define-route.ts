import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Caller, UnrecordedCaller } from '../platform/commands/context.ts';
import type { Platform } from '../platform/platform.ts';
import type { Access, PrincipalOf } from './access/access.ts';
import type { TagName } from './openapi/tags.ts';
import { maxTextLength } from './request/bound-value.ts';
import type { FileDigest, UploadedFile } from './request/read-upload.ts';
import type { Reply } from './response/reply.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * How a request body is read. `upload`: multipart, with one file streamed to a temporary file. `digest`: multipart, with the file only
 * hashed. `ignored`: any body, never read. `raw`: any body as text, empty when too long.
 */
export type BodyKind = 'json' | 'upload' | 'digest' | 'ignored' | 'raw';

type ShapeOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

interface RequestSchemas {
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Headers beyond the common ones, by lower-case name. */
  headers?: z.ZodObject;
  body?: z.ZodType;
}

/**
 * An example of the body as a client sends it, without the file of an upload. Each route with a body must have one, unless the body has no
 * fields or is read as text. A test parses each by its schema.
 */
type WithExample<R> = R extends { body: infer Body extends z.ZodType }
  ? [FieldOf<Body>] extends [never]
    ? { example?: never }
    : { example: z.input<Body> }
  : { example?: never };
type FieldOf<Body> = Body extends z.ZodString ? never : Body extends z.ZodObject<infer Shape> ? keyof Shape : string;

/** `Idempotency-Key` applies only to signed-in callers (`takesIdempotencyKey`). */
type CallerOf<A extends Access> = A['kind'] extends 'public' | 'session' ? UnrecordedCaller : Caller;

/** Input of a handler: authenticated, authorized by scope and validated. */
interface RequestInput<A extends Access, R extends RequestSchemas, Renews extends boolean> {
  params: ShapeOf<R['params']>;
  query: ShapeOf<R['query']>;
  headers: ShapeOf<R['headers']>;
  body: ShapeOf<R['body']>;
  /** The uploaded file of a route with `bodyKind: 'upload'`. */
  upload: UploadedFile | null;
  /** Size and hash of the file of a route with `bodyKind: 'digest'`. */
  digest: FileDigest | null;
  principal: PrincipalOf<A>;
  caller: CallerOf<A>;
  /** Names the client's `Idempotency-Key` and its credential, if any (API-6). */
  idempotencyKey: string | null;
  platform: Platform;
  /** The browser's session cookie. Only a route with `renewsSession` sets it. */
  cookies: Renews extends true ? SessionCookie : Pick<SessionCookie, 'clear'>;
  /** Aborts when the client disconnects before the answer. */
  readonly signal: AbortSignal;
  /** Returns a request header, for conditional and partial responses. */
  header(name: string): string | undefined;
}

/** Facts that are known before the body is read. */
interface RequestHead<A extends Access> {
  principal: PrincipalOf<A>;
  platform: Platform;
  /** Announced bytes of the body; null when not announced. */
  contentLength: number | null;
  header(name: string): string | undefined;
}

/** Sets or clears the browser's session cookie on the response. */
export interface SessionCookie {
  set(token: string): void;
  clear(): void;
}

interface ResponseDefinition {
  status?: number;
  /** For 201: path template of `Location`, which reads the new record (`/profiles/:id`) or its list. */
  location?: string;
  /** Shape of `data`. */
  data?: z.ZodType;
  /** Shape of `meta`, unless empty. */
  meta?: z.ZodType;
  /** Content types of answers that are not the JSON envelope; beside `data`, both are possible. */
  content?: readonly string[];
  /** For a stream of server-sent events: the shape of each event's data, by event name. */
  events?: Readonly<Record<string, z.ZodType>>;
  /** Other success statuses, such as 206 and 304 of a file. `location`: it has `data`, and reads the record that is being made. */
  otherStatuses?: readonly { status: number; description: string; location?: string }[];
}

/**
 * Possible next operations, by route name. Each path parameter is a field of `data` (`{ submitApplication: { id: 'id' } }`) or a path
 * parameter of this request (`{ getConversation: { id: ':id' } }`).
 */
export type Links = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A published route: OpenAPI path, validation and handler in one definition, so they cannot drift apart. */
export interface Route {
  /** The operation id in camel case: `submitApplication`; unique. */
  name: string;
  method: Method;
  /** With koa-router parameters: `/applications/:id/submit`. */
  path: string;
  access: Access;
  tag: TagName;
  summary: string;
  description?: string;
  request: RequestSchemas & { example?: unknown };
  bodyKind: BodyKind;
  /** Which file an upload is. */
  fileText: string;
  /** Maximum characters of a text in the request; longer texts are refused before validation. */
  longestText: number;
  response: ResponseDefinition;
  links: Links;
  /** Refusals specific to this route; the common ones (401, 403, 404, 419, 422, 429, 5xx) follow from its access and schemas. */
  errors: readonly ErrorCode[];
  /** True: exists only with the sandbox clock. */
  sandboxOnly: boolean;
  /** False: below `/api/v1`. True: at the root, as the verification page is. */
  atRoot: boolean;
  /** True for pages: refusals below the first segment of the path are HTML pages, not JSON. */
  answersPeople: boolean;
  /** True: sets the session's cookie or answers its CSRF token. A repeat runs again, so that no stored answer gives another session's. */
  renewsSession: boolean;
  /** False for the operator's probes: health and metrics. */
  isRateLimited: boolean;
  /** True: its handler writes an audit row of its own for each read, also under impersonation (AUD-8). */
  auditsReads: boolean;
  /** The limit in `rate-limit.ts` that counts it. */
  countedAs: 'request' | 'file' | 'callback' | 'webhook';
  /** Throws to refuse a request before its body is read. */
  admit?(head: RequestHead<Access>): Promise<void>;
  handler(input: RequestInput<Access, RequestSchemas, boolean>): Promise<Reply<unknown>>;
}

/** Fields with a default. */
type OptionalField =
  | 'bodyKind'
  | 'fileText'
  | 'longestText'
  | 'links'
  | 'errors'
  | 'sandboxOnly'
  | 'atRoot'
  | 'answersPeople'
  | 'renewsSession'
  | 'isRateLimited'
  | 'auditsReads'
  | 'countedAs';

/** A route as its area writes it; access and schemas determine the types of its handler. */
interface RouteDefinition<A extends Access, R extends RequestSchemas, D extends ResponseDefinition, Renews extends boolean>
  extends
    Omit<Route, OptionalField | 'access' | 'request' | 'response' | 'admit' | 'handler'>,
    Partial<Pick<Route, Exclude<OptionalField, 'renewsSession'>>> {
  access: A;
  renewsSession?: Renews;
  request?: R & WithExample<R>;
  response: D;
  admit?(head: RequestHead<A>): Promise<void>;
  handler(input: RequestInput<A, R, Renews>): Promise<Reply<D['data'] extends z.ZodType ? z.input<D['data']> : never>>;
}

const noQuery = z.strictObject({});

export function defineRoute<
  const A extends Access,
  const R extends RequestSchemas,
  const D extends ResponseDefinition,
  const Renews extends boolean = false,
>(definition: RouteDefinition<A, R, D, Renews>): Route {
  // Refuses unknown query fields (API-2), except on pages, whose links may carry tracking parameters, and on routes that accept any body.
  const isLenient = definition.atRoot === true || definition.bodyKind === 'raw' || definition.bodyKind === 'ignored';
  return {
    bodyKind: 'json',
    fileText: 'JPG, PNG, WebP or PDF, at most 20 MB',
    longestText: maxTextLength,
    links: {},
    errors: [],
    sandboxOnly: false,
    atRoot: false,
    answersPeople: false,
    renewsSession: false,
    isRateLimited: true,
    auditsReads: false,
    countedAs: 'request',
    ...definition,
    request: isLenient ? (definition.request ?? {}) : { query: noQuery, ...definition.request },
    // The app has checked principal and input against `access` and `request` before it calls the handler.
    handler: definition.handler,
  };
}
