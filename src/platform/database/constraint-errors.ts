import { DomainError } from '../../errors.ts';
import type { ErrorCode } from '../../errors.ts';

/** What the database refuses, by the name of its constraint: the one map from constraint to error code. */
const codeOfConstraint: Record<string, ErrorCode> = {
  users_email_unique: 'email_taken',
  profiles_one_athlete_per_iin: 'duplicate_profile',
  // The profile was deleted while something was being added to it.
  documents_profile_fk: 'not_found',
  applications_profile_fk: 'not_found',
  applications_active_unique: 'duplicate_application',
  wallets_balance_not_negative: 'insufficient_funds',
  invoices_idempotency_unique: 'idempotency_key_conflict',
};

/** SQL states by which the server says that it rolled back and that the same again may succeed: serialization, deadlock, a lock not got. */
const rolledBackStates = new Set(['40001', '40P01', '55P03']);
/** The same, and those of a connection lost or refused or of a server going away. */
const passingStates = new Set([...rolledBackStates, '57P01', '57P02', '57P03', '53300', '08000', '08003', '08006', '08001', '08004']);
const passingSystemErrors = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

interface DatabaseError {
  code: string;
  constraint: string | undefined;
}

/** The driver's error inside whatever the ORM wrapped around it. */
function databaseErrorOf(error: unknown): DatabaseError | null {
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1) {
    const { code, constraint, message } = current;
    if (typeof code === 'string') return { code, constraint: typeof constraint === 'string' ? constraint : undefined };
    if (
      /Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed)/.test(
        String(message),
      )
    )
      return { code: '08006', constraint: undefined };
  }
  return null;
}

/** Name of the constraint that refused a statement, if one did. */
export function violatedConstraint(error: unknown): string | null {
  return databaseErrorOf(error)?.constraint ?? null;
}

/** Whether the same transaction may succeed when tried again. */
export function isPassingDatabaseError(error: unknown): boolean {
  const found = databaseErrorOf(error);
  return found !== null && (passingStates.has(found.code) || passingSystemErrors.has(found.code));
}

/** Whether the server itself has rolled the transaction back, so that certainly nothing of it is in effect. */
export function isRolledBack(error: unknown): boolean {
  const found = databaseErrorOf(error);
  return found !== null && rolledBackStates.has(found.code);
}

/** The refusal that a database error means; null when it means none. */
export function toDomainError(error: unknown): DomainError | null {
  const constraint = violatedConstraint(error);
  const code = constraint === null ? undefined : codeOfConstraint[constraint];
  if (code) return new DomainError(code, undefined, undefined, { cause: error });
  if (isPassingDatabaseError(error)) return new DomainError('service_unavailable', undefined, undefined, { cause: error });
  return null;
}

/** By shape, not by class: what Node itself throws belongs to another realm under a test runner. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
