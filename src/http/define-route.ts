import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Caller, UnrecordedCaller } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import type { Access, PrincipalOf } from './access/access.ts';
import type { TagName } from './openapi/tags.ts';
import type { RecordCheck } from './record-check.ts';
import { maxTextLength } from './request/bound-value.ts';
import type { FileDigest, UploadedFile } from './request/read-upload.ts';
import type { Reply } from './response/reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How the body of a request is read. `upload`: multipart, its one file streamed to a temporary file. `digest`: the same, its file hashed as it comes and kept nowhere. `ignored`: any body, never read. `raw`: any body of any type as text, empty when it is too long. */
export type BodyKind = 'json' | 'upload' | 'digest' | 'ignored' | 'raw';

type ShapeOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface RequestSchemas {
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Headers beyond the common ones, by lower-case name. */
  headers?: z.ZodObject;
  body?: z.ZodType;
}

/** `Idempotency-Key` is honoured of signed-in callers alone (`takesIdempotencyKey`). */
type CallerOf<A extends Access> = A['kind'] extends 'public' | 'session' ? UnrecordedCaller : Caller;

/** Everything a handler gets; already authenticated, authorized by scope and validated. */
export interface RequestInput<A extends Access, R extends RequestSchemas> {
  params: ShapeOf<R['params']>;
  query: ShapeOf<R['query']>;
  headers: ShapeOf<R['headers']>;
  body: ShapeOf<R['body']>;
  /** The uploaded file of a route with `bodyKind: 'upload'`. */
  upload: UploadedFile | null;
  /** What is left of the file of a route with `bodyKind: 'digest'`. */
  digest: FileDigest | null;
  principal: PrincipalOf<A>;
  caller: CallerOf<A>;
  /** The client's key for repeating this request safely, when it sent one. */
  idempotencyKey: string | null;
  platform: Platform;
  /** The browser's session cookie, for the few routes that renew it. */
  cookies: SessionCookie;
  /** Aborts when the client has gone before the answer was sent: what waits on its behalf may be given up. */
  readonly gone: AbortSignal;
  /** One request header, for conditional and partial answers. */
  header(name: string): string | undefined;
}

/** What is known of a request before its body is read. */
export interface RequestHead<A extends Access> {
  principal: PrincipalOf<A>;
  platform: Platform;
  /** Bytes of the body, as announced; null when it was not said. */
  contentLength: number | null;
  header(name: string): string | undefined;
}

/** Sets or clears the browser's session cookie on the response. */
export interface SessionCookie {
  set(token: string): void;
  clear(): void;
}

export interface ResponseDefinition {
  status?: number;
  /**
   * Of a 201: the address that `Location` names, as the route has it that reads what was created (`/profiles/:id`), or the list in which
   * it stands, where it has no address of its own.
   */
  location?: string;
  /** Shape of `data`. */
  data?: z.ZodType;
  /** Shape of `meta`, where it is not empty. */
  meta?: z.ZodType;
  /** For answers that are not JSON: their content types. */
  content?: readonly string[];
  /** For a stream of server-sent events: the shape of the data of each, by its name. */
  events?: Readonly<Record<string, z.ZodType>>;
  /** Successes of another status, such as 206 and 304 of a file. */
  otherStatuses?: readonly { status: number; description: string }[];
}

/**
 * What can be done next with what a route answers, by the name of the other route; each of its path parameters takes a field of
 * `data`: `{ submitApplication: { id: 'id' } }`, or a path parameter of this request: `{ getConversation: { id: ':id' } }`.
 */
export type Links = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A route as it is published: the OpenAPI path, the validation and the handler are one definition, so they cannot drift apart. */
export interface Route {
  /** The operation id, as people name methods: `submitApplication`. */
  name: string;
  method: Method;
  path: string;
  access: Access;
  tag: TagName;
  summary: string;
  description?: string;
  request: RequestSchemas;
  /** What records and the clock have to say about the request; made beforehand only when its shape is wrong. */
  checks: readonly RecordCheck[];
  bodyKind: BodyKind;
  /** Characters that any one text of the request may have; a longer one reaches no rule. */
  longestText: number;
  response: ResponseDefinition;
  links: Links;
  errors: readonly ErrorCode[];
  /** False: exists only while the sandbox clock does. */
  sandboxOnly: boolean;
  /** Whether it stands under `/api/v1` (the default) or at the root, as the verification page does. */
  atRoot: boolean;
  /** True for pages: whatever is asked under the first word of such an address is refused with a page in a person's words, not with JSON. */
  answersPeople: boolean;
  /** False for what machines of the operator call again and again: health, metrics. */
  isRateLimited: boolean;
  /** By which of the limits in `rate-limit.ts`. */
  countedAs: 'request' | 'callback' | 'webhook';
  /** Whether the body is worth reading: refuses by throwing, so that nobody sends much in vain. */
  admit?(head: RequestHead<Access>): Promise<void>;
  handler(input: RequestInput<Access, RequestSchemas>): Promise<Reply<unknown>>;
}

export interface RouteDefinition<A extends Access, R extends RequestSchemas, D extends ResponseDefinition> {
  /** The operation id, as people name methods: `submitApplication`; unique. */
  name: string;
  method: Method;
  /** With koa-router parameters: `/applications/:id/submit`. */
  path: string;
  access: A;
  tag: TagName;
  summary: string;
  description?: string;
  request?: R;
  /** Those of the command behind the route whose problems name fields. */
  checks?: readonly RecordCheck[];
  bodyKind?: BodyKind;
  longestText?: number;
  response: D;
  links?: Links;
  /** Refusals peculiar to this route; the common ones (401, 403, 404, 419, 422, 429, 5xx) follow from its access and schemas. */
  errors?: readonly ErrorCode[];
  sandboxOnly?: boolean;
  atRoot?: boolean;
  answersPeople?: boolean;
  isRateLimited?: boolean;
  countedAs?: Route['countedAs'];
  admit?(head: RequestHead<A>): Promise<void>;
  handler(input: RequestInput<A, R>): Promise<Reply<D['data'] extends z.ZodType ? z.input<D['data']> : never>>;
}

const noQuery = z.strictObject({});

/** Defines one route; see `RouteDefinition` for the parts. */
export function defineRoute<const A extends Access, const R extends RequestSchemas, const D extends ResponseDefinition>(
  definition: RouteDefinition<A, R, D>,
): Route {
  // Unknown query fields are refused (decisions.md §1), but not by pages that people reach by links others have decorated, nor
  // where anything at all is taken.
  const isLenient = definition.atRoot === true || definition.bodyKind === 'raw' || definition.bodyKind === 'ignored';
  return {
    bodyKind: 'json',
    longestText: maxTextLength,
    checks: [],
    links: {},
    errors: [],
    sandboxOnly: false,
    atRoot: false,
    answersPeople: false,
    isRateLimited: true,
    countedAs: 'request',
    ...definition,
    request: isLenient ? (definition.request ?? {}) : { query: noQuery, ...definition.request },
    // The app hands the handler a principal and input that fit `access` and `request`: it has checked both just before.
    handler: definition.handler,
  };
}
