import type { z } from 'zod';
import { errorCatalogue } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import type { Access } from './access.ts';
import { apiPrefix } from './api-prefix.ts';
import type { Route } from './define-route.ts';
import { receiptLifetimeDays } from '../platform/receipt-lifetime.ts';
import { createShapes } from './openapi-shapes.ts';
import type { Json, Shapes } from './openapi-shapes.ts';

/**
 * Builds the OpenAPI 3.1 document from the routes themselves (decisions.md §1), so it cannot say anything else than the code
 * does: parameters and bodies are the schemas that validate, errors are the catalogue's.
 */
export function describeApi(routes: readonly Route[], baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  const shapes = createShapes();
  for (const route of routes.filter(({ atRoot }) => !atRoot)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, shapes) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Certificate, Licence and Competition Service API',
      version: '1.0.0',
      description: [
        'Registry of a sports federation: profiles, reviewed documents, applications, a wallet and public verification.',
        'Success: `{data, meta, request_id}`. Refusal: `{error: {code, message, details?}, request_id}`; codes are permanent.',
        '`validation_failed` names all wrong fields in `details.fields`: first of the shape of the request; once that is right, of what the records behind it say, such as a file that is not yours.',
        '',
        '| code | status | meaning |',
        '|---|---|---|',
        ...Object.entries(errorCatalogue).map(([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`),
      ].join('\n'),
    },
    servers: [{ url: `${baseUrl}${apiPrefix}` }],
    tags: [...new Set(routes.filter(({ atRoot }) => !atRoot).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A key made under POST /api-keys: `fsk_…`' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'registry_session',
          description: 'Call GET /session first; send its csrf_token as X-CSRF-Token on every changing request.',
        },
      },
      schemas: {
        Error: errorSchema(),
        ErrorCode: { type: 'string', enum: Object.keys(errorCatalogue) },
        FieldProblem: fieldProblemSchema(),
        ...shapes.named(),
      },
      headers: {
        RequestId: { description: 'The same as request_id in the body', schema: { type: 'string' } },
        Challenge: {
          description: '`Bearer`, with `error="invalid_token"` when a key was sent and is not good',
          schema: { type: 'string' },
        },
      },
    },
  };
}

function describeOperation(route: Route, shapes: Shapes): Json {
  const operation: Json = {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, `Access: ${accessInWords(route.access)}.`].filter(Boolean).join('\n\n'),
    security: securityOf(route.access),
    parameters: parametersOf(route, shapes),
    responses: responsesOf(route, shapes),
  };
  if (route.bodyKind === 'upload')
    operation['requestBody'] = { required: true, content: { 'multipart/form-data': { schema: uploadSchema(route, shapes) } } };
  else if (route.bodyKind === 'raw') operation['requestBody'] = { required: false, content: { '*/*': { schema: {} } } };
  else if (route.request.body)
    operation['requestBody'] = {
      required: !route.request.body.safeParse(undefined).success,
      content: { 'application/json': { schema: shapes.inline(route.request.body, 'input') } },
    };
  return operation;
}

function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function accessInWords(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'public';
    case 'session':
      return 'a browser session, signed in or not';
    case 'account':
      return 'anyone signed in';
    case 'browser':
      return 'a signed-in browser session; API keys may not';
    case 'scope':
      return `scope \`${access.scope}\``;
    case 'administrator':
      return `administrators, scope \`${access.scope}\``;
  }
}

function securityOf(access: Access): Json[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'session':
    case 'browser':
      return [{ session: [] }];
    case 'account':
    case 'scope':
    case 'administrator':
      return [{ apiKey: [] }, { session: [] }];
  }
}

function parametersOf(route: Route, { inline }: Shapes): Json[] {
  const { params, query, headers } = route.request;
  const parameters = [
    ...fieldsOf(params, inline).map((field) => ({ ...field, in: 'path', required: true })),
    ...fieldsOf(query, inline).map((field) => ({ ...field, in: 'query' })),
    ...fieldsOf(headers, inline).map((field) => ({ ...field, name: headerCase(field.name), in: 'header' })),
  ];
  const isChange = route.method !== 'GET';
  if (isChange && (route.access.kind === 'session' || route.access.kind === 'browser')) {
    parameters.push({ name: 'X-CSRF-Token', in: 'header', required: true, schema: { type: 'string' }, description: 'From GET /session' });
  }
  if (route.errors.includes('idempotency_key_conflict') && !parameters.some(({ name }) => name === 'Idempotency-Key'))
    parameters.push(idempotencyKey);
  return parameters;
}

/** Taken by every command that goes through a process; a route that must have one names it itself. */
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  description: `A request repeated with the same key takes effect once; honoured for ${receiptLifetimeDays} days.`,
};

function headerCase(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

function fieldsOf(
  schema: z.ZodObject | undefined,
  inline: Shapes['inline'],
): { name: string; required: boolean; schema: unknown; description?: string }[] {
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
      file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'JPG, PNG, WebP or PDF, at most 20 MB' },
      ...fields.properties,
    },
    required: ['file', ...(fields.required ?? [])],
    additionalProperties: false,
  };
}

function responsesOf(route: Route, shapes: Shapes): Record<string, Json> {
  const responses: Record<string, Json> = { [String(route.response.status ?? 200)]: successOf(route, shapes) };
  const codesByStatus = Map.groupBy(codesOf(route), (code) => errorCatalogue[code].status);
  for (const [status, codes] of codesByStatus) {
    responses[String(status)] = {
      description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join('\n\n'),
      headers: {
        'X-Request-Id': { $ref: '#/components/headers/RequestId' },
        ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } } : {}),
      },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  for (const extra of route.response.otherStatuses ?? []) responses[String(extra.status)] ??= { description: extra.description };
  return responses;
}

function successOf(route: Route, { inline }: Shapes): Json {
  const { data, meta, content } = route.response;
  const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
  if (content)
    return {
      description: 'The content itself',
      headers,
      content: Object.fromEntries(
        content.map((type) => [type.split(';')[0], type.startsWith('application/json') ? {} : { schema: { type: 'string' } }]),
      ),
    };
  const envelope = {
    type: 'object',
    properties: {
      data: data ? inline(data, 'output') : {},
      meta: meta ? inline(meta, 'output') : { type: 'object' },
      request_id: { type: 'string' },
    },
    required: ['data', 'meta', 'request_id'],
  };
  return { description: route.summary, headers, content: { 'application/json': { schema: envelope } } };
}

/** The refusals that follow from what a route is, and those it names itself. */
function codesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  const isChange = route.method !== 'GET';
  if (route.isRateLimited) codes.add('rate_limited');
  codes.add('internal_error');
  codes.add('service_unavailable');
  if (route.access.kind !== 'public') {
    codes.add('unauthenticated');
    if (isChange) codes.add('csrf_failed');
    codes.add(route.access.kind === 'scope' || route.access.kind === 'administrator' ? 'insufficient_scope' : 'browser_session_required');
    if (route.access.kind === 'administrator') codes.add('forbidden');
  }
  if (route.request.params) codes.add('not_found');
  codes.add('validation_failed');
  if (route.bodyKind === 'json' && isChange)
    for (const code of ['malformed_json', 'unsupported_media_type', 'payload_too_large'] as const) codes.add(code);
  if (route.bodyKind === 'upload') for (const code of ['unsupported_media_type', 'payload_too_large'] as const) codes.add(code);
  return [...codes];
}

function fieldProblemSchema(): Json {
  return {
    type: 'object',
    required: ['path', 'code', 'message'],
    properties: {
      path: { type: 'string', examples: ['body.data.iin'] },
      code: { type: 'string' },
      message: { type: 'string' },
    },
  };
}

function errorSchema(): Json {
  return {
    type: 'object',
    required: ['error', 'request_id'],
    additionalProperties: false,
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        additionalProperties: false,
        properties: {
          code: { $ref: '#/components/schemas/ErrorCode' },
          message: { type: 'string' },
          details: {
            type: 'object',
            description: 'Facts to act upon',
            properties: {
              fields: {
                type: 'array',
                description: 'All wrong fields, with validation_failed',
                items: { $ref: '#/components/schemas/FieldProblem' },
              },
              missing: { type: 'array', description: 'What an application lacks, with incomplete_application', items: { type: 'string' } },
              application_id: { type: 'integer', description: 'The existing application, with duplicate_application' },
            },
          },
        },
      },
      request_id: { type: 'string' },
    },
  };
}
