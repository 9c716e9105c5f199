import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Caller } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import type { Access, PrincipalOf } from './access.ts';
import type { Reply } from './reply.ts';
import type { UploadedFile } from './parse-body.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How the body of a request is read. `upload`: multipart, its one file streamed to a temporary file. `ignored`: any body, never read. `raw`: any body of any type as text, empty when it is too long. */
export type BodyKind = 'json' | 'upload' | 'ignored' | 'raw';

type ShapeOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface RequestSchemas {
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Headers beyond the common ones, by lower-case name. */
  headers?: z.ZodObject;
  body?: z.ZodType;
}

/** Everything a handler gets; already authenticated, authorized by scope and validated. */
export interface RequestInput<A extends Access, R extends RequestSchemas> {
  params: ShapeOf<R['params']>;
  query: ShapeOf<R['query']>;
  headers: ShapeOf<R['headers']>;
  body: ShapeOf<R['body']>;
  /** The uploaded file of a route with `bodyKind: 'upload'`. */
  upload: UploadedFile | null;
  principal: PrincipalOf<A>;
  caller: Caller;
  /** The client's key for repeating this request safely, when it sent one. */
  idempotencyKey: string | null;
  platform: Platform;
  /** The browser's session cookie, for the few routes that renew it. */
  cookies: SessionCookie;
  /** One request header, for conditional and partial answers. */
  header(name: string): string | undefined;
}

/** Sets or clears the browser's session cookie on the response. */
export interface SessionCookie {
  set(token: string): void;
  clear(): void;
}

export interface ResponseDefinition {
  status?: number;
  /** Shape of `data`. */
  data?: z.ZodType;
  /** Shape of `meta`, where it is not empty. */
  meta?: z.ZodType;
  /** For answers that are not JSON: their content types. */
  content?: readonly string[];
  /** Successes of another status, such as 206 and 304 of a file. */
  otherStatuses?: readonly { status: number; description: string }[];
}

/** A route as it is published: the OpenAPI path, the validation and the handler are one definition, so they cannot drift apart. */
export interface Route {
  method: Method;
  path: string;
  access: Access;
  tag: string;
  summary: string;
  description?: string;
  request: RequestSchemas;
  bodyKind: BodyKind;
  response: ResponseDefinition;
  errors: readonly ErrorCode[];
  /** False: exists only while the sandbox clock does. */
  sandboxOnly: boolean;
  /** Whether it stands under `/api/v1` (the default) or at the root, as the verification page does. */
  atRoot: boolean;
  /** True for pages: whatever is asked under the first word of such an address is refused with a page in a person's words, not with JSON. */
  answersPeople: boolean;
  /** False for what machines of the operator call again and again: health, metrics, the assets of the reference page. */
  isRateLimited: boolean;
  handler(input: RequestInput<Access, RequestSchemas>): Promise<Reply<unknown>>;
}

export interface RouteDefinition<A extends Access, R extends RequestSchemas, D extends ResponseDefinition> {
  method: Method;
  /** With koa-router parameters: `/applications/:id/submit`. */
  path: string;
  access: A;
  tag: string;
  summary: string;
  description?: string;
  request?: R;
  bodyKind?: BodyKind;
  response: D;
  /** Refusals peculiar to this route; the common ones (401, 403, 404, 419, 422, 429, 5xx) follow from its access and schemas. */
  errors?: readonly ErrorCode[];
  sandboxOnly?: boolean;
  atRoot?: boolean;
  answersPeople?: boolean;
  isRateLimited?: boolean;
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
    errors: [],
    sandboxOnly: false,
    atRoot: false,
    answersPeople: false,
    isRateLimited: true,
    ...definition,
    request: isLenient ? (definition.request ?? {}) : { query: noQuery, ...definition.request },
    // The app hands the handler a principal and input that fit `access` and `request`: it has checked both just before.
    handler: definition.handler,
  };
}
