import { DomainError, type ErrorCode } from '../../errors.ts';

/** Error code of each database constraint. */
const codeOfConstraint: Record<string, ErrorCode> = {
  users_email_unique: 'email_taken',
  profiles_one_athlete_per_iin: 'duplicate_profile',
  // The profile was deleted while something was being added to it.
  documents_profile_fk: 'not_found',
  applications_profile_fk: 'not_found',
  applications_active_unique: 'duplicate_application',
  wallets_balance_not_negative: 'insufficient_funds',
  invoices_idempotency_unique: 'idempotency_key_conflict',
  participants_pkey: 'duplicate_participant',
  registrations_live_unique: 'duplicate_registration',
  registrations_start_number_unique: 'start_number_taken',
  contracts_live_unique: 'contract_exists',
};

/** A lock that was not got in time, a statement that the server ended because it took too long. */
const timeoutStates = ['55P03', '57014'];
/** SQL states by which the server says that it rolled back and that the same again may succeed: serialization, deadlock. */
const rolledBackStates = new Set(['40001', '40P01']);
/** The same, timeouts, and states of a lost or refused connection or a stopping server. */
const passingStates = new Set([
  ...rolledBackStates,
  ...timeoutStates,
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
]);
/** Messages of the pool without a free connection, and of the driver without an answer in time. */
const waitedInVain = /timeout exceeded when trying to connect|terminated due to connection timeout|Query read timeout/;
const passingSystemErrors = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

interface DatabaseError {
  code: string;
  constraint: string | undefined;
}

/** Returns the driver's error inside the ORM's wrappers. */
function databaseErrorOf(error: unknown): DatabaseError | null {
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1) {
    const { code, constraint, message } = current;
    if (typeof code === 'string') return { code, constraint: typeof constraint === 'string' ? constraint : undefined };
    if (
      waitedInVain.test(String(message)) ||
      /Connection terminated|Client (has encountered a connection error|was closed)/.test(String(message))
    )
      return { code: '08006', constraint: undefined };
  }
  return null;
}

/** The server's SQL state of an error, five characters; null when it is no error of the server. */
export function sqlStateOf(error: unknown): string | null {
  const code = databaseErrorOf(error)?.code;
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !passingSystemErrors.has(code) ? code : null;
}

/** A statement was planned before a migration changed its tables, as the server calls it where it notices by itself. */
export class StalePlanError extends Error {
  readonly code = '0A000';
  readonly routine = 'RevalidateCachedQuery';
  constructor(cause: unknown) {
    super('the statement was planned before a migration', { cause });
    this.name = 'StalePlanError';
  }
}

/** Returns whether a migration made a cached plan invalid: planned again, the statement succeeds. */
export function isStalePlan(error: unknown): boolean {
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1)
    if (current['code'] === '26000' || (current['code'] === '0A000' && current['routine'] === 'RevalidateCachedQuery')) return true;
  return false;
}

/** Returns whether the caller has already waited the longest time for a lock, a connection or an answer. Another wait adds load. */
export function hasWaitedLong(error: unknown): boolean {
  if (timeoutStates.includes(databaseErrorOf(error)?.code ?? '')) return true;
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1)
    if (waitedInVain.test(String(current['message']))) return true;
  return false;
}

/** Name of the constraint that refused a statement, if one did. */
export function violatedConstraint(error: unknown): string | null {
  return databaseErrorOf(error)?.constraint ?? null;
}

/**
 * Whether the server cannot store or compute with a value that it was given (SQL state class 22, data exception): the same command fails
 * each time.
 */
export function isDataError(error: unknown): boolean {
  return sqlStateOf(error)?.startsWith('22') ?? false;
}

/** Whether the same transaction may succeed when tried again. */
export function isPassingDatabaseError(error: unknown): boolean {
  const found = databaseErrorOf(error);
  return found !== null && (passingStates.has(found.code) || passingSystemErrors.has(found.code) || isStalePlan(error));
}

/** Whether the server itself has rolled the transaction back, so that certainly nothing of it is in effect. */
export function isRolledBack(error: unknown): boolean {
  const found = databaseErrorOf(error);
  return found !== null && (rolledBackStates.has(found.code) || isStalePlan(error));
}

/** The refusal that a database error means; null when it means none. */
export function toDomainError(error: unknown): DomainError | null {
  const constraint = violatedConstraint(error);
  const code = constraint === null ? undefined : codeOfConstraint[constraint];
  if (code) return new DomainError(code, undefined, undefined, { cause: error });
  if (isPassingDatabaseError(error)) return new DomainError('service_unavailable', undefined, undefined, { cause: error });
  return null;
}

/** By shape, not by class: under a test runner Node's own errors belong to another realm. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
