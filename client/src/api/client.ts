import createFetchClient, { type Client, type ClientPathsWithMethod, type MaybeOptionalInit, type MethodResponse } from 'openapi-fetch';
import { type FollowOptions, followChanges } from './changes.ts';
import { readRefusal } from './errors.ts';
import { listAll, type Page } from './list.ts';
import { type RetryOptions, retrying } from './retry.ts';
import type { components, paths } from './types.ts';
import type { Change } from './webhook.ts';
import { writesWithoutKey } from './writes-without-key.ts';

export interface RegistryClientOptions {
  /** Address of the registry. */
  baseUrl: string;
  /** `fsk_…`; absent: only public routes answer. */
  apiKey?: string;
  retry?: RetryOptions;
  /** Absent: `fetch` of the platform. */
  fetch?: (request: Request) => Promise<Response>;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathOf<Of extends Method> = ClientPathsWithMethod<Client<paths>, Of>;

/** `data` and `meta` of the envelope; other content is `data` (`parseAs: 'blob'`). */
type Answered<Content> = Content extends { data: infer Data; meta: infer Meta }
  ? { data: Data; meta: Meta; response: Response }
  : { data: Content; response: Response };

type AnswerOf<Of extends Method, Path extends PathOf<Of>, Init = object> = Answered<MethodResponse<Client<paths>, Of, Path, Init>>;

/** The second argument may be absent when it needs no field. */
type InitArgument<Init> = object extends Init ? [init?: Init] : [init: Init];

/** Path, parameters, body and answer have the types of the OpenAPI document. @throws {RegistryError} for a refusal */
type Call<Of extends Method> = <Path extends PathOf<Of>, Init extends MaybeOptionalInit<paths[Path], Of>>(
  path: Path,
  ...init: InitArgument<Init>
) => Promise<AnswerOf<Of, Path, Init>>;

type ItemOf<Path extends PathOf<'get'>> = AnswerOf<'get', Path> extends { data: readonly (infer Item)[]; meta: unknown } ? Item : never;

/** Paths whose answer is a list. */
export type ListPath = { [Path in PathOf<'get'>]: [ItemOf<Path>] extends [never] ? never : Path }[PathOf<'get'>];

export interface RegistryClient {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
  /** Yields the items of a list, page after page. With numbered pages an item may be missed or come twice when the list changes meanwhile. */
  list<Path extends ListPath, Init extends MaybeOptionalInit<paths[Path], 'get'>>(
    path: Path,
    ...init: InitArgument<Init>
  ): AsyncGenerator<ItemOf<Path>, void, undefined>;
  /** Yields the changes of records in their order, and waits for further ones. @throws {RegistryError} cursor_expired and others */
  changes(options?: FollowOptions): AsyncGenerator<Change, void, undefined>;
  /** Stores a file. @param name with its extension */
  upload(purpose: string, content: Blob, name: string): Promise<components['schemas']['File']>;
}

/**
 * Creates a client of the registry. Each write has a key of its own, so that its retries take effect once; pass `Idempotency-Key` in
 * `params.header` to choose it. Refusals are thrown as `RegistryError`; without any answer the last cause is thrown.
 */
export function createClient({ baseUrl, apiKey, retry, fetch = globalThis.fetch }: RegistryClientOptions): RegistryClient {
  const api = createFetchClient<paths>({
    baseUrl: `${baseUrl.replace(/\/(?:api\/v1\/?)?$/, '')}/api/v1`,
    headers: apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` },
    bodySerializer: serializeBody,
    fetch: retrying(fetch, retry),
  });
  api.use({
    onRequest({ request, schemaPath }) {
      const takesKey = request.method !== 'GET' && !writesWithoutKey.includes(`${request.method} ${schemaPath}`);
      if (takesKey && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', randomKey());
    },
    async onResponse({ response }) {
      if (!response.ok) throw await readRefusal(response);
    },
  });

  // The types of `RegistryClient` hold for callers; here all paths are the same.
  const send = api.request as unknown as (method: Method, path: string, init?: object) => Promise<{ data?: unknown; response: Response }>;
  const call = (method: Method) => async (path: string, init?: object) => {
    const { data: content, response } = await send(method, path, init);
    return isEnvelope(content) ? { data: content.data, meta: content.meta, response } : { data: content, response };
  };
  const calls = { GET: call('get'), POST: call('post'), PUT: call('put'), PATCH: call('patch'), DELETE: call('delete') };
  const { GET, POST } = calls as unknown as Pick<RegistryClient, 'GET' | 'POST'>;
  const list = (path: string, init: { params?: { query?: object } } = {}) =>
    listAll(async (query) => {
      const params = { ...init.params, query: { ...init.params?.query, ...query } };
      return (await calls.GET(path, { ...init, params })) as Page<unknown>;
    });
  return {
    ...(calls as unknown as Pick<RegistryClient, keyof typeof calls>),
    list: list as unknown as RegistryClient['list'],
    changes: (options = {}) => followChanges((query, signal) => GET('/changes', { params: { query }, signal: signal ?? null }), options),
    upload: async (purpose, content, name) =>
      (await POST('/files', { body: { purpose, file: new File([content], name, { type: content.type }) } })).data,
  };
}

function isEnvelope(content: unknown): content is { data: unknown; meta: unknown } {
  return typeof content === 'object' && content !== null && 'data' in content && 'request_id' in content;
}

/** A body with a file is a form, any other JSON. */
function serializeBody(body: unknown): string | FormData {
  const fields = Object.entries(body as Record<string, unknown>);
  if (!fields.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, value instanceof Blob ? value : String(value));
  return form;
}

/** 128 random bits; `crypto.randomUUID` is absent on pages without HTTPS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
