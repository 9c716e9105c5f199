import type { z } from 'zod';
import { errorCatalogue } from '../../errors.ts';
import { processedCommandLifetimeDays } from '../../platform/expired-rows.ts';
import { releaseVersion } from '../../platform/runtime/release.ts';
import { type Access, isClosedToImpersonation, isOfBrowsers } from '../access/access.ts';
import { sessionCookieName } from '../access/authenticate.ts';
import { replayHeader, takesIdempotencyKey } from '../answer-once.ts';
import { apiPrefix } from '../api-prefix.ts';
import type { Route } from '../define-route.ts';
import { describeRefusals, errorExamples, errorSchemas } from './errors.ts';
import { answerOf } from './answers.ts';
import { createShapes, type Json, type Shapes } from './shapes.ts';
import { describeTags } from './tags.ts';

/** A message that the service sends, for the `webhooks` of the document: one schema, a name for each type. */
export interface SentMessages {
  names: readonly string[];
  mediaType: string;
  schema: z.ZodType;
  description: string;
}

/** Context of one operation's description. */
interface Context {
  shapes: Shapes;
  /** All operations of the document, by name. */
  published: ReadonlyMap<string, Route>;
}

/**
 * Builds the OpenAPI 3.1 document from the routes: parameters and bodies are the validating schemas.
 * @throws {Error} for two routes of one name, and for a broken link
 */
export function describeApi(routes: readonly Route[], baseUrl: string, sent: readonly SentMessages[] = []): Json {
  const paths: Record<string, Json> = {};
  const shapes = createShapes();
  const published = byName(routes.filter(({ atRoot }) => !atRoot));
  for (const route of published.values()) {
    const path = publishedPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, { shapes, published }) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Federation registry',
      version: releaseVersion,
      description: [
        'Registry of a sports federation: profiles, reviewed documents, applications, a wallet and public verification.',
        'Success: `{data, meta, request_id}`. Refusal: `{error: {code, message, details?}, request_id}`; codes are permanent.',
        "`validation_failed` lists the first 100 wrong fields in `details.fields` and the number of others in `details.more`: first problems of the request's shape; when the shape is valid, problems of its records, such as a file of another account.",
        '',
        '<details><summary>Errors</summary>',
        '',
        ...Object.entries(errorCatalogue).map(([code, { status, message }]) => `- ${status} \`${code}\`: ${message}`),
        '',
        '</details>',
      ].join('\n'),
    },
    servers: [{ url: `${baseUrl}${apiPrefix}` }],
    tags: describeTags([...published.values()].map(({ tag }) => tag)),
    paths,
    webhooks: Object.fromEntries(sent.flatMap((messages) => describeMessages(messages, shapes))),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A key from POST /api-keys: `fsk_…`' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName(baseUrl.startsWith('https:')),
          description:
            "Call GET /session first; send its csrf_token as X-CSRF-Token on every changing request. The browser's `Origin` or `Sec-Fetch-Site` must name this service.",
        },
      },
      schemas: {
        ...errorSchemas,
        ...shapes.named(),
      },
      examples: errorExamples,
      headers: {
        RequestId: { description: 'The same as request_id in the body', schema: { type: 'string' } },
        IdempotentReplayed: {
          description: '`true` on the answer to a repeat; absent otherwise',
          schema: { type: 'string', const: 'true' },
        },
        Location: { description: 'Address of the created record', schema: { type: 'string', format: 'uri-reference' } },
        Challenge: {
          description: '`Bearer`, with `error="invalid_token"` for an invalid key',
          schema: { type: 'string' },
        },
        RetryAfter: { description: 'Seconds to wait before the next attempt', schema: { type: 'integer', minimum: 1 } },
      },
    },
  };
}

function describeMessages({ names, mediaType, schema, description }: SentMessages, shapes: Shapes): [string, Json][] {
  const content = { [mediaType]: { schema: shapes.inline(schema, 'output') } };
  const responses = { '2XX': { description: 'Received' } };
  return names.map((name) => [name, { post: { summary: name, description, requestBody: { required: true, content }, responses } }]);
}

/** @throws {Error} for two routes of one name: a generated client has a method for each */
function byName(routes: readonly Route[]): Map<string, Route> {
  const found = new Map<string, Route>();
  for (const route of routes) {
    const other = found.get(route.name);
    if (other) throw new Error(`${other.method} ${other.path} and ${route.method} ${route.path} are both named ${route.name}`);
    found.set(route.name, route);
  }
  return found;
}

function describeOperation(route: Route, context: Context): Json {
  const { shapes } = context;
  const operation: Json = {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, `Access: ${accessInWords(route.access)}.`].filter(Boolean).join('\n\n'),
    security: securityOf(route.access),
    parameters: parametersOf(route, shapes),
    responses: responsesOf(route, context),
  };
  if (route.bodyKind === 'upload' || route.bodyKind === 'digest')
    operation['requestBody'] = { required: true, content: { 'multipart/form-data': { schema: uploadSchema(route, shapes) } } };
  else if (route.bodyKind === 'raw') operation['requestBody'] = { required: false, content: { '*/*': { schema: {} } } };
  else if (route.request.body)
    operation['requestBody'] = {
      required: !route.request.body.safeParse(undefined).success,
      content: { 'application/json': { schema: shapes.inline(route.request.body, 'input'), example: route.request.example } },
    };
  return operation;
}

function accessInWords(access: Access): string {
  const restrictions = [
    ...(access.browserOnly ? ['only a browser session; API keys are refused'] : []),
    ...(isClosedToImpersonation(access) ? ['not under impersonation'] : []),
  ];
  return [ruleInWords(access), ...restrictions].join('; ');
}

function ruleInWords(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'public';
    case 'session':
      return 'a browser session, signed in or not';
    case 'account':
      return 'any signed-in caller';
    case 'browser':
      return 'a signed-in browser session; API keys are refused';
    case 'scope':
      return `scope \`${access.scope}\``;
    case 'administrator':
      return `administrators, scope \`${access.scope}\``;
    case 'impersonator':
      return 'an administrator in a browser session, also under impersonation; API keys are refused';
  }
}

function securityOf(access: Access): Json[] {
  if (access.kind === 'public') return [];
  return isOfBrowsers(access) ? [{ session: [] }] : [{ apiKey: [] }, { session: [] }];
}

function parametersOf(route: Route, { inline }: Shapes): Json[] {
  const { params, query, headers } = route.request;
  const parameters: Json[] = [
    ...fieldsOf(params, inline).map((field) => ({ ...field, in: 'path', required: true, ...exampleOf(field.schema) })),
    ...fieldsOf(query, inline).map((field) => ({ ...field, in: 'query' })),
    ...fieldsOf(headers, inline).map((field) => ({ ...field, name: headerCase(field.name), in: 'header' })),
  ];
  const isChange = route.method !== 'GET';
  if (isChange && isOfBrowsers(route.access)) {
    parameters.push({ name: 'X-CSRF-Token', in: 'header', required: true, schema: { type: 'string' }, description: 'From GET /session' });
  }
  if (takesIdempotencyKey(route) && !parameters.some(({ name }) => name === 'Idempotency-Key')) parameters.push(idempotencyKey);
  return parameters;
}

/** Returns the example that a form fills in. Optional parameters have theirs only in their schema: a filled filter would hide records. */
function exampleOf({ examples }: Json): { example?: unknown } {
  return Array.isArray(examples) ? { example: examples[0] as unknown } : {};
}

/** For every write of a signed-in caller; a route that requires the key declares it itself. */
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  description: `A request that is repeated with the same key takes effect once and receives the first answer, with \`Idempotent-Replayed: true\`. Valid for ${processedCommandLifetimeDays} days, for one API key or for the browser sessions of the account. With another method, address or body the key is refused with 409 \`idempotency_key_conflict\`. A refusal (4xx) releases it. While the first request is in progress, the answer may be 409 \`request_in_progress\` with \`Retry-After\`.`,
};

function headerCase(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

function fieldsOf(
  schema: z.ZodObject | undefined,
  inline: Shapes['inline'],
): { name: string; required: boolean; schema: Json; description?: string }[] {
  if (!schema) return [];
  const { properties, required = [] } = inline(schema, 'input') as { properties: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: property,
    ...(typeof property['description'] === 'string' ? { description: property['description'] } : {}),
  }));
}

function uploadSchema(route: Route, { inline }: Shapes): Json {
  const fields = route.request.body
    ? (inline(route.request.body, 'input') as { properties: Json; required?: string[] })
    : { properties: {}, required: [] };
  return {
    type: 'object',
    properties: {
      file: {
        type: 'string',
        contentMediaType: 'application/octet-stream',
        description: route.bodyKind === 'upload' ? route.fileText : 'Any file, at most 20 MB',
      },
      ...withExamples(fields.properties, route.request.example),
    },
    required: ['file', ...(fields.required ?? [])],
    additionalProperties: false,
  };
}

/** Gives each field of a form its part of the route's example. */
function withExamples(properties: Json, example: unknown): Json {
  const values = (example ?? {}) as Json;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      name in values ? { ...(property as Json), examples: [values[name]] } : property,
    ]),
  );
}

function responsesOf(route: Route, context: Context): Record<string, Json> {
  const success = successOf(route, context);
  const responses: Record<string, Json> = { [String(route.response.status ?? 200)]: success, ...describeRefusals(route) };
  for (const { status, description, location } of route.response.otherStatuses ?? [])
    responses[String(status)] ??=
      location === undefined
        ? { description }
        : { ...success, description, headers: { ...(success['headers'] as Json), Location: locationOf(location) } };
  // Node answers it before the application sees the request.
  if (Object.keys(route.request.query?.shape ?? {}).length > 0)
    responses['431'] ??= { description: 'Address and headers together are longer than 16 KB; without a body' };
  return responses;
}

/** Converts a path to OpenAPI's form: `{id}`, not `:id` or `*page`. */
function publishedPath(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, '{$1}');
}

function locationOf(path: string | undefined): Json {
  const reference = { $ref: '#/components/headers/Location' };
  return path === undefined ? reference : { ...reference, description: `\`${publishedPath(path)}\`` };
}

function successOf(route: Route, { shapes, published }: Context): Json {
  const { status, data, meta, content, events } = route.response;
  const headers = {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    ...(status === 201 || route.response.location !== undefined ? { Location: locationOf(route.response.location) } : {}),
    ...(takesIdempotencyKey(route) ? { [replayHeader]: { $ref: '#/components/headers/IdempotentReplayed' } } : {}),
  };
  // OpenAPI 3.1 cannot describe event streams, so `x-events` has the shapes of the events.
  if (events) {
    const shapesOfEvents = Object.entries(events).map(([name, shape]) => [name, shapes.inline(shape, 'output')]);
    const stream = { schema: { type: 'string', description: 'Server-sent events' }, 'x-events': Object.fromEntries(shapesOfEvents) };
    return { description: 'The events, as they occur', headers, content: { 'text/event-stream': stream } };
  }
  const ofTypes = Object.fromEntries(
    (content ?? []).map((type) => [type.split(';')[0], type.startsWith('application/json') ? {} : { schema: { type: 'string' } }]),
  );
  if (content && !data) return { description: 'The content itself', headers, content: ofTypes };
  const dataSchema = data ? shapes.inline(data, 'output') : {};
  const envelope = {
    type: 'object',
    properties: {
      data: dataSchema,
      meta: meta ? shapes.inline(meta, 'output') : { type: 'object' },
      request_id: { type: 'string' },
    },
    required: ['data', 'meta', 'request_id'],
  };
  const links = describeLinks(route, dataSchema, published, shapes.resolve);
  return {
    description: route.summary,
    headers,
    content: { 'application/json': { schema: envelope, ...answerOf(route.name) }, ...ofTypes },
    ...(Object.keys(links).length > 0 ? { links } : {}),
  };
}

/** Finds the schema of a reference. */
type Resolve = Shapes['resolve'];

/**
 * Describes the links of an answer (OpenAPI 3.1 "Link Object"): each possible next operation, with path parameters from the answer's `data`
 * or the request's path.
 * @param data published schema of the answer's `data`
 * @throws {Error} for an unpublished operation, an unknown or missing parameter of it, an unknown field of the answer, or an unknown
 *   parameter of the request
 */
function describeLinks(route: Route, data: Json, published: ReadonlyMap<string, Route>, resolve: Resolve): Record<string, Json> {
  const expressionOf = (source: string, target: string) => {
    const isOfRequest = source.startsWith(':');
    const name = source.replace(':', '');
    if (isOfRequest && !route.request.params?.shape[name])
      throw new Error(`${route.name} links to ${target} by ${source}, which its own path does not have`);
    if (!isOfRequest && !hasField(data, name, resolve))
      throw new Error(`${route.name} links to ${target} by data.${name}, which it does not answer`);
    return isOfRequest ? `$request.path.${name}` : `$response.body#/data/${name}`;
  };
  const entries = Object.entries(route.links).map(([name, parameters]) => {
    const target = published.get(name);
    if (!target) throw new Error(`${route.name} links to ${name}, which is not published`);
    const wanted = Object.keys(target.request.params?.shape ?? {}).sort();
    const given = Object.keys(parameters).sort();
    if (wanted.join() !== given.join())
      throw new Error(`${route.name} links to ${name} by (${given.join(', ')}); its parameters are (${wanted.join(', ')})`);
    const expressions = Object.entries(parameters).map(([parameter, source]) => [parameter, expressionOf(source, name)]);
    return [name, { operationId: name, parameters: Object.fromEntries(expressions) as Json }] as const;
  });
  return Object.fromEntries(entries);
}

function hasField(schema: Json, field: string, resolve: Resolve): boolean {
  const target = typeof schema['$ref'] === 'string' ? resolve(schema['$ref']) : schema;
  const { properties } = (target ?? {}) as { properties?: Json };
  return properties?.[field] !== undefined;
}
