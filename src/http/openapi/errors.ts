import { errorCatalogue, type ErrorCode, type ErrorDetails, maxListedProblems } from '../../errors.ts';
import { isClosedToImpersonation, isOpenToWaiting } from '../access/access.ts';
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
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
}

/** Returns the error codes that follow from a route's definition, and its own. */
function codesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  const isChange = route.method !== 'GET';
  const add = (...more: ErrorCode[]) => more.forEach((code) => codes.add(code));
  // A repeat finds the record of its request no more, once it belongs to another account.
  if (takesIdempotencyKey(route)) add('idempotency_key_conflict', 'request_in_progress', 'not_found');
  if (route.isRateLimited) add('rate_limited');
  if (codes.has('second_factor_failed')) add('second_factor_unavailable');
  add('internal_error', 'service_unavailable');
  if (route.access.kind !== 'public') {
    add('unauthenticated');
    if (isChange) add('csrf_failed');
    if (!isOpenToWaiting(route.access)) add('second_factor_required');
    if (route.access.isBeforeSecondFactor !== true) add('second_factor_setup_required');
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
    path: { ...text, description: 'Place of the field in the request', examples: ['body.data.iin'] },
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
      description:
        'All wrong fields, at most the first 100, with validation_failed and unprintable_text; wrong members with crew_not_valid; names of fields with agreement_differs',
      maxItems: maxListedProblems,
      items: { anyOf: [{ $ref: '#/components/schemas/FieldProblem' }, text] },
    },
    more: { ...integer, minimum: 1, description: 'Number of wrong fields that `fields` does not list, with more than 100' },
    missing: { ...texts, description: 'Missing parts of an application, with incomplete_application' },
    application_id: { ...integer, description: 'The existing application, with duplicate_application' },
    quota: {
      ...text,
      description: 'The exceeded quota, with quota_exceeded',
      enum: ['files', 'bytes', 'uploads_per_hour', 'profiles', 'documents', 'additional_documents', 'api_keys', 'webhooks'],
    },
    used: { ...integer, description: 'Used amount, with quota_exceeded' },
    limit: { ...integer, description: 'Allowed amount, with quota_exceeded and rate_limited' },
  },
  { description: 'Facts for the next step' },
);

const refusal = objectSchema(
  { code: { $ref: '#/components/schemas/ErrorCode' }, message: text, details },
  { required: ['code', 'message'], additionalProperties: false, description: '`code` is permanent; `message` is for people' },
);

/** The named shapes of refusals. */
export const errorSchemas: Record<string, Json> = {
  Error: objectSchema({ error: refusal, request_id: text }, { required: ['error', 'request_id'], additionalProperties: false }),
  ErrorCode: { ...text, enum: Object.keys(errorCatalogue) },
  FieldProblem: fieldProblem,
};

/** The request id of every example. */
export const exampleRequestId = '3f0c6f0e-8f0b-4f6e-9d0e-6d2f1c1b7a55';

/** Facts of the refusals that have some; other codes have no `details`. */
const exampleDetails: Partial<Record<ErrorCode, ErrorDetails>> = {
  insufficient_scope: { scope: 'applications:write' },
  invalid_state: { status: 'submitted', allowed: ['correct', 'pay', 'approve', 'return', 'annul', 'withdraw', 'lapse', 'close'] },
  stale_revision: { revision: 4 },
  duplicate_application: { application_id: 12 },
  duplicate_profile: { profile_id: 7 },
  insufficient_funds: { balance_minor: 1_000_000, amount_minor: 2_162_500 },
  quota_exceeded: { quota: 'api_keys', used: 50, limit: 50 },
  file_in_use: { used_by: [{ kind: 'document', id: 5 }] },
  file_missing: { file_id: '3c7e1b52-8f4d-4a6e-9b21-5d0c8e7f4a10' },
  document_in_use: { applications: [12] },
  profile_in_use: { applications: [12] },
  not_ready: {
    rules: [{ rule: 'payment', ok: false, waiting_for: 'owner', fix: { method: 'POST', path: '/applications/12/pay' } }],
  },
  profile_not_approved: { status: 'pending' },
  stage_not_open: { stage: 'results', status: 'locked' },
  fee_unpaid: { application_id: 12 },
  participants_closed: { status: 'published', results: 'submitted' },
  intake_closed: { intake: 'closed' },
  class_full: { class: 'N2' },
  crew_not_valid: {
    fields: [{ path: 'crew.0.registration_id', code: 'withdrawn', message: 'the registration is withdrawn', registration_id: 31 }],
  },
  not_eligible: { reasons: [{ code: 'licence_expired', day: '2026-08-15' }] },
  licence_not_fitting: { discipline_id: 2 },
  event_over: { event_status: 'cancelled' },
  agreement_differs: { fields: ['location', 'starts_at'] },
  contract_exists: { contract_id: 9 },
  base_index_missing: { year: 2027 },
  base_index_in_use: { year: 2026 },
  selection_changed: { ids: [12, 15] },
  too_many_open_invoices: { open: 20, limit: 20 },
  invoice_not_open: { status: 'paid' },
  payload_too_large: { max_bytes: 262_144 },
  unsupported_media_type: { expected: ['application/json'] },
  range_not_satisfiable: { size: 48_213 },
  validation_failed: { fields: [{ path: 'body.data.iin', code: 'invalid_format', message: 'must be 12 digits' }] },
  unprintable_text: {
    fields: [
      {
        path: 'body.data.city',
        code: 'unprintable_text',
        message: 'has characters that documents cannot show: 城 (U+57CE)',
        characters: ['城'],
      },
    ],
  },
  incomplete_application: { missing: ['identity_document', 'medical'] },
  file_rejected: { reason: 'unsupported_type', found: 'heic' },
  export_not_possible: { records: [{ id: 12, number: 'KZ-N-2026-000012', problems: ['photo_missing'] }] },
  photos_too_large: { bytes: 320_000_000, limit: 314_572_800 },
  rate_limited: { retry_after_seconds: 27 },
  process_unavailable: { reason: 'workflow_version' },
  messaging_bot_disabled: { retry_after_seconds: 60 },
};

/** One example of each refusal, by code, for `components.examples`. */
export const errorExamples: Record<string, Json> = Object.fromEntries(
  Object.entries(errorCatalogue).map(([code, { status, message }]) => {
    const facts = exampleDetails[code as ErrorCode];
    const error = { code, message, ...(facts && { details: facts }) };
    return [code, { summary: `${status} ${code}`, value: { error, request_id: exampleRequestId } }];
  }),
);
