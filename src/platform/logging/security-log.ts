import { DomainError, type ErrorCode, type ErrorDetails } from '../../errors.ts';

/** Action of a refusal that may be an attack, `<resource>.<past verb>` as in the audit. */
export type SecurityAction =
  | 'login.failed'
  /** The first refusal of a limit in its window; later ones are not recorded. */
  | 'login.limited'
  | 'password_confirmation.failed'
  | 'second_factor.failed'
  | 'captcha.failed'
  | 'csrf.failed'
  | 'reset_link.refused'
  | 'api_key.refused'
  | 'scope.refused'
  /** A receiver's address inside a network. */
  | 'address.refused'
  | 'access.refused'
  /** A request for another account's record. */
  | 'record.refused';

/** The refused record, account or route. */
export interface SecuritySubject {
  kind: string;
  id: number | string;
}

export interface SecurityEvent {
  action: SecurityAction;
  /** The signed-in account, under impersonation the administrator; null when anonymous. */
  actorId: number | null;
  /** The impersonated account; null without impersonation. */
  impersonatedUserId: number | null;
  subject: SecuritySubject;
  ip: string | null;
  requestId: string;
  /** Codes and names of routes; never values of people, never secrets. */
  data: Record<string, unknown>;
}

/** Records possible attacks for administrators. */
export interface SecurityLog {
  /** Records an event. Returns at once and never throws, so that recording does not slow refusals down. */
  record(event: SecurityEvent): void;
  /** Writes all pending entries. */
  flush(): Promise<void>;
  /** Writes all pending entries and stops. */
  close(): Promise<void>;
}

/** Cause with the subject of a refusal; only the security log reads it. */
class RefusedSubject extends Error {
  readonly subject: SecuritySubject;

  constructor(subject: SecuritySubject) {
    super(`refused: ${subject.kind}`);
    this.name = 'RefusedSubject';
    this.subject = subject;
  }
}

/** Creates a refusal with its subject for the security log (API-3). The answer does not show it. */
export function refusalOf(code: ErrorCode, subject: SecuritySubject, details?: ErrorDetails): DomainError {
  return new DomainError(code, details, undefined, { cause: new RefusedSubject(subject) });
}

/** Returns the subject of such a refusal. Checks the name, not the class: a test runner may load this module twice. */
export function refusedSubject(error: DomainError): SecuritySubject | null {
  const { cause } = error;
  return cause instanceof Error && cause.name === 'RefusedSubject' ? (cause as RefusedSubject).subject : null;
}
