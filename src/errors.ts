/** The catalog of refusals: all error codes, their HTTP statuses and messages. Codes are permanent; the OpenAPI document publishes them. */
export const errorCatalogue = {
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  body_not_allowed: { status: 400, message: 'This request takes no body.' },
  unauthenticated: { status: 401, message: 'Sign in or send a valid API key.' },
  invalid_credentials: { status: 401, message: 'The e-mail or the password is wrong.' },
  forbidden: { status: 403, message: 'You may not do this.' },
  insufficient_scope: { status: 403, message: 'The API key lacks the scope this route needs.' },
  browser_session_required: { status: 403, message: 'Only a browser session may do this, an API key may not.' },
  account_blocked: { status: 403, message: 'The account is blocked.' },
  forbidden_while_impersonating: { status: 403, message: 'This may not be done while an administrator acts in the account.' },
  password_confirmation_failed: { status: 403, message: 'The password given as confirmation is wrong.' },
  not_found: { status: 404, message: 'There is no such record, or it is not yours.' },
  method_not_allowed: { status: 405, message: 'This address does not take that method.' },
  conflict: { status: 409, message: 'The record is in a state that does not allow this.' },
  invalid_state: { status: 409, message: 'The record is in a state that does not allow this.' },
  stale_revision: { status: 409, message: 'The record has changed since you read it; read it again.' },
  duplicate_application: {
    status: 409,
    message: 'An active application for this profile, service, discipline and year exists; go on with it.',
  },
  duplicate_profile: { status: 409, message: 'This account already has an athlete profile with this IIN.' },
  email_taken: { status: 409, message: 'An account with this e-mail exists.' },
  insufficient_funds: { status: 409, message: 'The wallet does not hold enough money.' },
  idempotency_key_conflict: { status: 409, message: 'This Idempotency-Key was used with other content.' },
  request_in_progress: { status: 409, message: 'The same request is still being carried out; repeat it in a moment.' },
  quota_exceeded: { status: 409, message: 'The account has used up its share; details say of what.' },
  file_in_use: { status: 409, message: 'The file is in use.' },
  document_in_use: { status: 409, message: 'The document is attached to an application that is not a draft, or to a registration.' },
  profile_was_approved: { status: 409, message: 'A profile that was ever approved cannot be deleted.' },
  profile_in_use: { status: 409, message: 'The profile has applications or registrations that keep it from being deleted.' },
  not_ready: { status: 409, message: 'Not every condition of approval holds.' },
  certificate_not_issued: { status: 409, message: 'There is no certificate yet: it is made after approval and payment.' },
  cannot_be_made: {
    status: 409,
    message: 'The document cannot be made from what the record holds; support looks after it, and asking again does not help before.',
  },
  profile_not_approved: { status: 409, message: 'The profile must be approved first.' },
  stage_not_open: { status: 409, message: 'The stage is not open: an earlier one is not approved yet, or its time has not come.' },
  event_published: { status: 409, message: 'The event is published: its dates, its discipline and its fee stay.' },
  fee_unpaid: { status: 409, message: 'The fee of the event is not paid yet.' },
  participants_closed: { status: 409, message: 'The list of participants is closed: the results are with the administrator.' },
  certificate_not_valid: { status: 409, message: 'The certificate is not valid on every day of the competition.' },
  duplicate_participant: { status: 409, message: 'This certificate is in the list of participants already.' },
  intake_closed: { status: 409, message: 'The event does not take registrations now.' },
  duplicate_registration: { status: 409, message: 'The profile is registered for this event and class already.' },
  start_number_taken: { status: 409, message: 'Another registration of the event has this start number.' },
  not_eligible: { status: 409, message: 'The registration does not stand on every day of the event.' },
  licence_not_fitting: { status: 409, message: "The certificate is of another discipline than the event's." },
  event_over: { status: 409, message: 'The event is cancelled or completed; its agreement changes no more.' },
  agreement_differs: {
    status: 409,
    message: 'The event differs from what its agreement says. Replace the agreement before the details are approved.',
  },
  contract_exists: { status: 409, message: 'The event has an agreement; replace or cancel it first.' },
  federation_signing_missing: { status: 409, message: 'The federation has not set up who signs for it.' },
  sharing_not_available: { status: 409, message: 'Only an approved international licence can be shared.' },
  base_index_in_use: { status: 409, message: 'Amounts were issued by the base index of this year; it stays.' },
  own_account: { status: 409, message: 'Nobody changes their own role or status.' },
  cannot_impersonate: { status: 409, message: 'An administrator, a blocked account and oneself cannot be impersonated.' },
  selection_changed: { status: 409, message: 'The list has changed since you read it; read it again.' },
  owner_changed: { status: 409, message: 'The profile has another owner than the request says; read it again.' },
  same_account: { status: 409, message: 'The profile belongs to that account already.' },
  target_blocked: { status: 409, message: 'The account that is to own the profile is blocked.' },
  target_is_administrator: { status: 409, message: 'An administrator owns no profiles.' },
  messaging_bot_connected: { status: 409, message: 'The account is linked with a chat of the bot already; disconnect it first.' },
  clock_backwards: { status: 409, message: 'The sandbox clock moves forwards only.' },
  too_many_open_invoices: { status: 409, message: 'Too many invoices are open; pay one or wait until one runs out.' },
  invoice_not_open: { status: 409, message: 'The invoice is no longer open.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'The content type is not supported here.' },
  range_not_satisfiable: { status: 416, message: 'The file has no such range.' },
  csrf_failed: { status: 419, message: 'The CSRF token is missing or wrong; call GET /session and send it as X-CSRF-Token.' },
  validation_failed: { status: 422, message: 'Some fields are missing or wrong.' },
  unprintable_text: { status: 422, message: 'Documents cannot show some characters of the text; details name them.' },
  incomplete_application: { status: 422, message: 'The set of documents is not complete.' },
  captcha_failed: { status: 422, message: 'The captcha is wrong, used or too old; ask for a new one.' },
  token_invalid: { status: 422, message: 'The link is wrong, used or too old; ask for a new one.' },
  file_rejected: { status: 422, message: 'The file cannot be accepted.' },
  export_not_possible: { status: 422, message: 'Some records cannot be exported; details name them with their problems.' },
  photos_too_large: { status: 422, message: 'The photos of the selection are larger than 300 MB together; export fewer records.' },
  rate_limited: { status: 429, message: 'Too many requests; wait and try again.' },
  internal_error: { status: 500, message: 'Something went wrong on our side; quote the request id to support.' },
  workflow_unavailable: { status: 503, message: 'The workflow engine cannot be reached now; the same request is safe to repeat.' },
  bank_unavailable: { status: 503, message: 'The bank is disabled or cannot be reached now; try again later.' },
  messaging_bot_disabled: { status: 503, message: 'The messaging bot is disabled.' },
  mail_disabled: { status: 503, message: 'Mail cannot be sent now.' },
  service_unavailable: { status: 503, message: 'A part of the service cannot be reached now; try again later.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Facts for the client; their shapes are published with the routes. */
export type ErrorDetails = Record<string, unknown>;

/**
 * A refusal for the caller: the only error class of the domain. It knows neither HTTP nor Temporal;
 * `src/http/response/error-writer.ts` writes it as a response and `activities/errors.ts` carries it through Temporal.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, details?: ErrorDetails, message: string = errorCatalogue[code].message, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DomainError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** Compares by name, not by class: a test runner may load this module twice. */
export function isDomainError(error: unknown): error is DomainError {
  return error instanceof Error && error.name === 'DomainError' && 'code' in error && isErrorCode(error.code);
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}

/** One problem of one field; `path` is dotted (`body.data.iin`). */
export interface FieldProblem {
  path: string;
  code: string;
  message: string;
  /** With `unprintable_text`: the characters that the fonts lack. */
  characters?: string[];
}

/** Most problems that one refusal lists. */
export const maxToldProblems = 100;

/**
 * Creates the 422 that lists every wrong field (API-2): the first hundred in `details.fields`, the number of further ones in
 * `details.more`.
 * When all problems are unprintable texts, the code is `unprintable_text` (API-7).
 * @param more number of problems that are only counted
 */
export function validationFailed(fields: readonly FieldProblem[], more = 0): DomainError {
  const code = more === 0 && fields.every((field) => field.code === 'unprintable_text') ? 'unprintable_text' : 'validation_failed';
  const untold = more + Math.max(0, fields.length - maxToldProblems);
  return new DomainError(code, { fields: fields.slice(0, maxToldProblems), ...(untold > 0 && { more: untold }) });
}

/** Returns the fields of a refusal by {@link validationFailed}; null for other errors. */
export function fieldProblemsOf(error: unknown): FieldProblem[] | null {
  const isOfFields = isDomainError(error) && (error.code === 'validation_failed' || error.code === 'unprintable_text');
  return isOfFields ? (error.details?.['fields'] as FieldProblem[]) : null;
}

/** Creates the same for one field. */
export function fieldProblem(path: string, code: string, message: string): DomainError {
  return validationFailed([{ path, code, message }]);
}

type Results<Checks extends readonly (() => unknown)[]> = { [Index in keyof Checks]: Awaited<ReturnType<Checks[Index]>> };

/**
 * Runs independent checks in order and refuses with the field problems of all (API-2). Another refusal ends it at once.
 * @returns what the checks returned
 * @throws {DomainError} validation_failed, and whatever else a check throws
 */
export async function checkAll<const Checks extends readonly (() => unknown)[]>(...checks: Checks): Promise<Results<Checks>> {
  const results: unknown[] = [];
  const problems: FieldProblem[] = [];
  let more = 0;
  for (const check of checks) {
    try {
      results.push(await check());
    } catch (error) {
      const fields = fieldProblemsOf(error);
      if (fields === null || !isDomainError(error)) throw error;
      problems.push(...fields);
      more += typeof error.details?.['more'] === 'number' ? error.details['more'] : 0;
    }
  }
  if (problems.length > 0) throw validationFailed(problems, more);
  // All checks returned, so each result is at its index.
  return results as Results<Checks>;
}

/** Marks a branch that the types rule out. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
