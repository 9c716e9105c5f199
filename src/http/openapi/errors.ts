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
  const add = (...more: ErrorCode[]) => more.forEach((code) => codes.add(code));
  if (takesIdempotencyKey(route)) add('idempotency_key_conflict', 'request_in_progress');
  if (route.isRateLimited) add('rate_limited');
  if (codes.has('second_factor_failed')) add('second_factor_unavailable');
  add('internal_error', 'service_unavailable');
  if (route.access.kind !== 'public') {
    add('unauthenticated');
    if (isChange) add('csrf_failed');
    if (route.access.isBeforeSecondFactor !== true) add('second_factor_required', 'second_factor_setup_required');
    if ('scope' in route.access) add('insufficient_scope');
    if (!('scope' in route.access) || route.access.browserOnly) add('browser_session_required');
    if (route.access.kind === 'administrator' || route.access.kind === 'impersonator') add('forbidden');
    if (isClosedToImpersonation(route.access)) add('forbidden_while_impersonating');
  }
  if (route.request.params) add('not_found');
  add('validation_failed');
  if (isChange && route.request.body) add('unprintable_text');
  if (route.bodyKind === 'json' && (!isChange || (route.method === 'DELETE' && !route.request.body))) add('body_not_allowed');
  else if (route.bodyKind === 'json') add('malformed_json', 'unsupported_media_type', 'payload_too_large');
  if (route.bodyKind === 'upload' || route.bodyKind === 'digest') add('unsupported_media_type', 'payload_too_large');
  return [...codes];
}

function objectSchema(properties: Json, rest: Json = {}): Json {
  return { type: 'object', properties, ...rest };
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const integer = { type: 'integer' };

const fieldProblem = objectSchema(
  {
    path: { ...text, examples: ['body.data.iin'] },
    code: text,
    message: text,
    characters: { ...texts, description: 'With `unprintable_text`: the unprintable characters, each once' },
  },
  { required: ['path', 'code', 'message'] },
);

const details = objectSchema(
  {
    fields: {
      type: 'array',
      description: 'All wrong fields, at most the first 100, with validation_failed and unprintable_text',
      maxItems: maxListedProblems,
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
    more: { ...integer, minimum: 1, description: 'Number of wrong fields that `fields` does not list, with more than 100' },
    missing: { ...texts, description: 'Missing parts of an application, with incomplete_application' },
    application_id: { ...integer, description: 'The existing application, with duplicate_application' },
    quota: {
      ...text,
      description: 'The exceeded quota, with quota_exceeded',
      enum: ['files', 'bytes', 'uploads_per_hour', 'additional_documents', 'api_keys'],
    },
    used: { ...integer, description: 'Used amount, with quota_exceeded' },
    limit: { ...integer, description: 'Allowed amount, with quota_exceeded and rate_limited' },
  },
  { description: 'Facts for the next step' },
);

const refusal = objectSchema(
  { code: { $ref: '#/components/schemas/ErrorCode' }, message: text, details },
  { required: ['code', 'message'], additionalProperties: false },
);

/** The named shapes of refusals. */
export const errorSchemas: Record<string, Json> = {
  Error: objectSchema({ error: refusal, request_id: text }, { required: ['error', 'request_id'], additionalProperties: false }),
  ErrorCode: { ...text, enum: Object.keys(errorCatalogue) },
  FieldProblem: fieldProblem,
};
