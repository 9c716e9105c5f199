/** Error codes with HTTP status and message. Codes are permanent; the OpenAPI document publishes them. */
export const errorCatalogue = {
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  body_not_allowed: { status: 400, message: 'This request must not have a body.' },
  unauthenticated: { status: 401, message: 'Sign in or send a valid API key.' },
  invalid_credentials: { status: 401, message: 'The e-mail or the password is wrong.' },
  forbidden: { status: 403, message: 'You may not do this.' },
  insufficient_scope: { status: 403, message: 'The API key lacks the scope of this route.' },
  browser_session_required: { status: 403, message: 'This request needs a browser session; API keys are refused.' },
  account_blocked: { status: 403, message: 'The account is blocked.' },
  forbidden_while_impersonating: { status: 403, message: 'This is not allowed under impersonation.' },
  second_factor_required: { status: 403, message: 'The account has a second factor: send its code.' },
  second_factor_failed: { status: 403, message: 'The code is wrong, old or already used.' },
  second_factor_setup_required: { status: 403, message: 'Administrators need a second factor here: set one up first.' },
  password_confirmation_failed: { status: 403, message: 'The confirming password is wrong.' },
  not_found: { status: 404, message: 'There is no such record, or it is not yours.' },
  cursor_expired: {
    status: 410,
    message: 'The changes after this cursor are no longer kept; read the records again and start without `after`.',
  },
  method_not_allowed: { status: 405, message: 'This address does not allow the method.' },
  not_acceptable: { status: 406, message: 'This address has no content of a type that `Accept` names.' },
  invalid_state: { status: 409, message: 'The record is in a state that does not allow this.' },
  stale_revision: { status: 409, message: 'The record has changed; read it again.' },
  duplicate_application: {
    status: 409,
    message: 'An active application for this profile, service, discipline and year exists; continue with it.',
  },
  duplicate_profile: { status: 409, message: 'This account already has an athlete profile with this IIN.' },
  email_not_confirmed: { status: 409, message: 'The address of the account is not confirmed: use the link of its mail first.' },
  email_taken: { status: 409, message: 'An account with this e-mail exists.' },
  insufficient_funds: { status: 409, message: "The wallet's balance is too low." },
  idempotency_key_conflict: { status: 409, message: 'Another request used this Idempotency-Key.' },
  request_in_progress: { status: 409, message: 'The same request is in progress; repeat it soon.' },
  quota_exceeded: { status: 409, message: 'The account has reached a quota; see details.' },
  file_in_use: { status: 409, message: 'The file is in use.' },
  file_missing: { status: 409, message: 'The file of this record was deleted; its owner must attach another one first.' },
  document_in_use: { status: 409, message: 'The document is attached to an application that is not a draft, or to a registration.' },
  profile_was_approved: { status: 409, message: 'An approved profile cannot be deleted, even after a change.' },
  profile_in_use: { status: 409, message: 'The profile has applications or registrations, so it cannot be deleted.' },
  webhook_disabled: { status: 409, message: 'The webhook is disabled; enable it first.' },
  not_ready: { status: 409, message: 'Some conditions of approval are not met.' },
  certificate_not_issued: { status: 409, message: 'There is no certificate yet; it is issued after approval and payment.' },
  cannot_be_made: {
    status: 409,
    message: 'The PDF cannot be generated from this record. Support must correct the record; a retry will not help.',
  },
  profile_not_approved: { status: 409, message: 'The profile must be approved first.' },
  stage_not_open: { status: 409, message: 'The stage is not open: an earlier stage is not approved, or its time has not come.' },
  event_published: { status: 409, message: 'The event is published: its dates, discipline and fee are fixed.' },
  fee_unpaid: { status: 409, message: "The event's fee is not paid." },
  participants_closed: { status: 409, message: 'The list of participants is closed: an administrator has the results.' },
  certificate_not_valid: { status: 409, message: 'The certificate is not valid on every day of the competition.' },
  duplicate_participant: { status: 409, message: 'The list of participants already has this certificate.' },
  intake_closed: { status: 409, message: 'Registration for the event is closed.' },
  class_full: { status: 409, message: 'The class has no free place, or others wait for one.' },
  duplicate_registration: { status: 409, message: 'The profile is already registered for this event and class.' },
  crew_not_valid: {
    status: 409,
    message: 'The crew of the registration does not hold any more: return it, so that the athlete corrects it.',
  },
  start_number_taken: { status: 409, message: 'Another registration of the event has this start number.' },
  not_eligible: { status: 409, message: 'The registration is not eligible today and on every day of the event still to come.' },
  licence_not_fitting: { status: 409, message: 'The certificate is for another discipline than the event.' },
  event_over: { status: 409, message: 'The event is cancelled or completed; its agreement cannot change.' },
  agreement_differs: {
    status: 409,
    message: 'The event differs from its agreement. Replace the agreement before the details are approved.',
  },
  contract_exists: { status: 409, message: 'The event has an agreement; replace or cancel it first.' },
  federation_signing_missing: { status: 409, message: 'The federation has not named its signatory.' },
  sharing_not_available: { status: 409, message: 'Only an approved international licence can be shared.' },
  base_index_missing: { status: 409, message: 'The base index of this year is not set yet; apply when it is.' },
  base_index_in_use: { status: 409, message: "This year's base index is already used in issued amounts and cannot be changed." },
  own_account: { status: 409, message: 'Administrators cannot change their own role or status.' },
  cannot_impersonate: { status: 409, message: 'Administrators, blocked accounts and your own account cannot be impersonated.' },
  selection_changed: { status: 409, message: 'The list has changed; read it again.' },
  owner_changed: { status: 409, message: 'The profile has another owner than the request names; read it again.' },
  same_account: { status: 409, message: 'The profile already belongs to that account.' },
  target_blocked: { status: 409, message: 'The account that would own the profile is blocked.' },
  erasure_blocked: { status: 409, message: 'Something prevents the erasure of the account; details name it with a step for each.' },
  target_is_administrator: { status: 409, message: 'An administrator owns no profiles.' },
  messaging_bot_connected: { status: 409, message: 'The account is already linked with a chat of the bot; disconnect it first.' },
  clock_backwards: { status: 409, message: 'The sandbox clock moves only forwards.' },
  too_many_open_invoices: { status: 409, message: 'Too many invoices are open; pay one or wait until one expires.' },
  invoice_not_open: { status: 409, message: 'The invoice is no longer open.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'The content type is not supported here.' },
  range_not_satisfiable: { status: 416, message: 'The file has no such range.' },
  csrf_failed: { status: 419, message: 'The CSRF token is missing or wrong; call GET /session and send it as X-CSRF-Token.' },
  validation_failed: { status: 422, message: 'Some fields are missing or wrong.' },
  unprintable_text: { status: 422, message: 'The fonts of documents lack some characters of the text; see details.' },
  incomplete_application: { status: 422, message: 'Required documents are missing.' },
  captcha_failed: { status: 422, message: 'The captcha is wrong, used or expired; request a new one.' },
  token_invalid: { status: 422, message: 'The link is wrong, used or expired; request a new one.' },
  file_rejected: { status: 422, message: 'The file cannot be accepted.' },
  export_not_possible: { status: 422, message: 'Some records cannot be exported; details list them with their problems.' },
  photos_too_large: { status: 422, message: 'The selected photos exceed 300 MB; export fewer records.' },
  rate_limited: { status: 429, message: 'Too many requests; retry later.' },
  internal_error: { status: 500, message: 'The service failed; report the request id to support.' },
  workflow_unavailable: { status: 503, message: 'Temporal is unavailable; the same request is safe to repeat.' },
  process_unavailable: {
    status: 503,
    message: 'The process of this record cannot run in the installed release. Support must restart it; the same request is safe to repeat.',
  },
  bank_unavailable: { status: 503, message: 'The bank is disabled or unavailable; retry later.' },
  messaging_bot_disabled: { status: 503, message: 'The messaging bot is disabled.' },
  mail_disabled: { status: 503, message: 'Mail is unavailable; retry later.' },
  second_factor_unavailable: {
    status: 503,
    message: 'Codes of this second factor cannot be checked now. Use a recovery code, or ask the federation to remove the second factor.',
  },
  service_unavailable: { status: 503, message: 'A part of the service is unavailable; retry later.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Facts for the client; their shapes are published with the routes. */
export type ErrorDetails = Record<string, unknown>;

/**
 * A refusal for the client: the only error class of the domain. `src/http/response/error-writer.ts` writes it as a response,
 * `activities/errors.ts` passes it through Temporal.
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

/** Maximum number of problems that one refusal lists. */
export const maxListedProblems = 100;

/**
 * Creates the 422 that lists every wrong field (API-2): the first hundred in `details.fields`, the number of others in `details.more`. When
 * all problems are unprintable texts, the code is `unprintable_text` (API-7).
 * @param more number of problems that the caller counted but does not list
 */
export function validationFailed(fields: readonly FieldProblem[], more = 0): DomainError {
  const code = more === 0 && fields.every((field) => field.code === 'unprintable_text') ? 'unprintable_text' : 'validation_failed';
  const unlisted = more + Math.max(0, fields.length - maxListedProblems);
  return new DomainError(code, { fields: fields.slice(0, maxListedProblems), ...(unlisted > 0 && { more: unlisted }) });
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
 * Runs independent checks in order and refuses with the field problems of all (API-2). Any other error ends it at once.
 * @returns results of the checks
 * @throws {DomainError} validation_failed, and any other error of a check
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
