import { DomainError, type ErrorCode } from '../../errors.ts';

/** Error code of each database constraint. */
const codeOfConstraint: Record<string, ErrorCode> = {
  users_email_unique: 'email_taken',
  profiles_one_athlete_per_iin: 'duplicate_profile',
  // The profile was deleted meanwhile.
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

/** SQL states of a lock timeout and a statement timeout. */
const timeoutStates = ['55P03', '57014'];
/** SQL states of a rollback after which a retry may succeed: serialization failure, deadlock. */
const rolledBackStates = new Set(['40001', '40P01']);
/** Also timeouts, lost or refused connections, and a stopping server. */
const transientStates = new Set([
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
/** Timeouts of the pool (no free connection) and of the driver (no answer). */
const waitTimeout = /timeout exceeded when trying to connect|terminated due to connection timeout|Query read timeout/;
const transientSystemErrors = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

interface DatabaseError {
  code: string;
  constraint: string | undefined;
}

/** Returns the driver's error inside the ORM's wrappers. */
function databaseErrorOf(error: unknown): DatabaseError | null {
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1) {
    const { code, constraint, message, syscall } = current;
    // The Unix socket of a server that starts again is missing for a moment.
    if (code === 'ENOENT' && syscall === 'connect') return { code: 'ECONNREFUSED', constraint: undefined };
    if (typeof code === 'string') return { code, constraint: typeof constraint === 'string' ? constraint : undefined };
    if (
      waitTimeout.test(String(message)) ||
      /Connection terminated|Client (has encountered a connection error|was closed)/.test(String(message))
    )
      return { code: '08006', constraint: undefined };
  }
  return null;
}

/** Returns the SQL state of a server error, five characters; null for other errors. */
export function sqlStateOf(error: unknown): string | null {
  const code = databaseErrorOf(error)?.code;
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !transientSystemErrors.has(code) ? code : null;
}

/** A migration changed the tables of a planned statement. Has the server's own code for this. */
export class StalePlanError extends Error {
  readonly code = '0A000';
  readonly routine = 'RevalidateCachedQuery';
  constructor(cause: unknown) {
    super('a migration changed the tables of a prepared statement', { cause });
    this.name = 'StalePlanError';
  }
}

/** Returns whether a migration made a cached plan invalid; with a new plan the statement succeeds. */
export function isStalePlan(error: unknown): boolean {
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1)
    if (current['code'] === '26000' || (current['code'] === '0A000' && current['routine'] === 'RevalidateCachedQuery')) return true;
  return false;
}

/** Returns whether a wait for a lock, a connection or an answer timed out. A retry would add load. */
export function hasWaitedLong(error: unknown): boolean {
  if (timeoutStates.includes(databaseErrorOf(error)?.code ?? '')) return true;
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1)
    if (waitTimeout.test(String(current['message']))) return true;
  return false;
}

/** Returns the constraint that a statement violated; null for other errors. */
export function violatedConstraint(error: unknown): string | null {
  return databaseErrorOf(error)?.constraint ?? null;
}

/** Returns whether the server cannot store or compute a given value (SQL state class 22). The command fails at each attempt. */
export function isDataError(error: unknown): boolean {
  return sqlStateOf(error)?.startsWith('22') ?? false;
}

/** Returns whether a retry of the transaction may succeed. */
export function isTransientDatabaseError(error: unknown): boolean {
  const found = databaseErrorOf(error);
  return found !== null && (transientStates.has(found.code) || transientSystemErrors.has(found.code) || isStalePlan(error));
}

/** Returns whether the server rolled the transaction back, so that it certainly had no effect. */
export function isRolledBack(error: unknown): boolean {
  const found = databaseErrorOf(error);
  return found !== null && (rolledBackStates.has(found.code) || isStalePlan(error));
}

/** Converts a database error to a refusal; null when it stands for none. */
export function toDomainError(error: unknown): DomainError | null {
  const constraint = violatedConstraint(error);
  const code = constraint === null ? undefined : codeOfConstraint[constraint];
  if (code) return new DomainError(code, undefined, undefined, { cause: error });
  if (isTransientDatabaseError(error)) return new DomainError('service_unavailable', undefined, undefined, { cause: error });
  return null;
}

/** Checks the shape, not the class: in a test runner, Node's errors belong to another realm. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
