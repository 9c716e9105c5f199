import { errorCatalogue, type ErrorCode, maxListedProblems } from '../../errors.ts';
import { isClosedToImpersonation } from '../access/access.ts';
import { takesIdempotencyKey } from '../answer-once.ts';
import type { Route } from '../define-route.ts';
import type { Json } from './shapes.ts';

/** Describes a route's refusals by status, each with its possible codes. */
export function describeRefusals(route: Route): Record<string, Json> {
  const codesByStatus = Map.groupBy(codesOf(route), (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join('\n\n'),
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } } : {}),
          ...(status === 429 || status === 503 || codes.includes('request_in_progress')
            ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
            : {}),
        },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** Returns the error codes that follow from a route's definition, and its own. */
function codesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  const isChange = route.method !== 'GET';
  if (takesIdempotencyKey(route)) for (const code of ['idempotency_key_conflict', 'request_in_progress'] as const) codes.add(code);
  if (route.isRateLimited) codes.add('rate_limited');
  codes.add('internal_error');
  codes.add('service_unavailable');
  if (route.access.kind !== 'public') {
    codes.add('unauthenticated');
    if (isChange) codes.add('csrf_failed');
    if ('scope' in route.access) codes.add('insufficient_scope');
    if (!('scope' in route.access) || route.access.browserOnly) codes.add('browser_session_required');
    if (route.access.kind === 'administrator' || route.access.kind === 'impersonator') codes.add('forbidden');
    if (isClosedToImpersonation(route.access)) codes.add('forbidden_while_impersonating');
  }
  if (route.request.params) codes.add('not_found');
  codes.add('validation_failed');
  if (isChange && route.request.body) codes.add('unprintable_text');
  if (route.bodyKind === 'json' && (!isChange || (route.method === 'DELETE' && !route.request.body))) codes.add('body_not_allowed');
  else if (route.bodyKind === 'json')
    for (const code of ['malformed_json', 'unsupported_media_type', 'payload_too_large'] as const) codes.add(code);
  if (route.bodyKind === 'upload' || route.bodyKind === 'digest')
    for (const code of ['unsupported_media_type', 'payload_too_large'] as const) codes.add(code);
  return [...codes];
}

/** The named shapes of refusals. */
export function errorSchemas(): Record<string, Json> {
  return {
    Error: errorSchema(),
    ErrorCode: { type: 'string', enum: Object.keys(errorCatalogue) },
    FieldProblem: fieldProblemSchema(),
  };
}

function fieldProblemSchema(): Json {
  return {
    type: 'object',
    required: ['path', 'code', 'message'],
    properties: {
      path: { type: 'string', examples: ['body.data.iin'] },
      code: { type: 'string' },
      message: { type: 'string' },
      characters: {
        type: 'array',
        items: { type: 'string' },
        description: 'With `unprintable_text`: the unprintable characters, each once',
      },
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
            description: 'Facts for the next step',
            properties: {
              fields: {
                type: 'array',
                description: 'All wrong fields, at most the first 100, with validation_failed and unprintable_text',
                maxItems: maxListedProblems,
                items: { $ref: '#/components/schemas/FieldProblem' },
              },
              more: {
                type: 'integer',
                minimum: 1,
                description: 'Number of wrong fields that `fields` does not list, with more than 100',
              },
              missing: {
                type: 'array',
                description: 'Missing parts of an application, with incomplete_application',
                items: { type: 'string' },
              },
              application_id: { type: 'integer', description: 'The existing application, with duplicate_application' },
              quota: {
                type: 'string',
                description: 'The exceeded quota, with quota_exceeded',
                enum: ['files', 'bytes', 'uploads_per_hour', 'additional_documents', 'api_keys'],
              },
              used: { type: 'integer', description: 'Used amount, with quota_exceeded' },
              limit: { type: 'integer', description: 'Allowed amount, with quota_exceeded and rate_limited' },
            },
          },
        },
      },
      request_id: { type: 'string' },
    },
  };
}
