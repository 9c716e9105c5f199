import { DomainError, type ErrorCode, type ErrorDetails } from '../errors.ts';

/** What is written of a refusal that may be an attack, `<resource>.<past verb>` as in the audit. */
export type SecurityAction =
  | 'login.failed'
  /** The first of a window that a limit refused; those after it are none. */
  | 'login.limited'
  | 'password_confirmation.failed'
  | 'captcha.failed'
  | 'csrf.failed'
  | 'reset_link.refused'
  | 'api_key.refused'
  | 'scope.refused'
  | 'access.refused'
  /** Somebody asked for a record of somebody else. */
  | 'record.refused';

/** The record, account or route that somebody was refused. */
export interface SecuritySubject {
  kind: string;
  id: number | string;
}

export interface SecurityEvent {
  action: SecurityAction;
  /** Who was signed in, under impersonation the administrator; null when nobody was. */
  actorId: number | null;
  /** Whose account the administrator acted in; null when it was nobody's but his own. */
  impersonatedUserId: number | null;
  subject: SecuritySubject;
  ip: string | null;
  requestId: string;
  /** Codes and names of routes; never values of people, never secrets. */
  data: Record<string, unknown>;
}

/** Records possible attacks for administrators. */
export interface SecurityLog {
  /** Notes an event. Returns at once and never throws: the trail of a flood must not become a part of it. */
  record(event: SecurityEvent): void;
  /** Writes what was noted; for those that must see it written. */
  flush(): Promise<void>;
  /** The same, for the last time. */
  close(): Promise<void>;
}

/** What a refusal was about, where its code alone does not tell: the cause of the refusal. It is told to nobody but the security log. */
export class RefusedSubject extends Error {
  readonly subject: SecuritySubject;

  constructor(subject: SecuritySubject) {
    super(`refused: ${subject.kind}`);
    this.name = 'RefusedSubject';
    this.subject = subject;
  }
}

/** A refusal that the security log tells with its subject. The answer is the same as without. */
export function refusalOf(code: ErrorCode, subject: SecuritySubject, details?: ErrorDetails): DomainError {
  return new DomainError(code, details, undefined, { cause: new RefusedSubject(subject) });
}

/** The subject of such a refusal. By name, not by class: a test runner may load this module twice. */
export function refusedSubject(error: DomainError): SecuritySubject | null {
  const { cause } = error;
  return cause instanceof Error && cause.name === 'RefusedSubject' ? (cause as RefusedSubject).subject : null;
}
