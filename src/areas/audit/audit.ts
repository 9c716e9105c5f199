import { mayReadOthers, type SignedIn } from '../../http/access/access.ts';
import { accountableUserId, type Caller, type CommandContext, impersonatedUserId } from '../../platform/context.ts';
import { type Database, json } from '../../platform/database/database.ts';
import { refusalOf } from '../../platform/security-log.ts';

/** The record that an action was done to. */
export interface Subject {
  kind: string;
  id: number | string;
}

/** The parts of a command that its audit rows hold; an audited read has them too. */
type AuditContext = Pick<CommandContext, 'actor' | 'requestId' | 'ip' | 'db' | 'now'>;

/**
 * One fact of the audit. `action` is `<resource>.<past verb>`, such as `application.submitted`, or `<resource>.read` for a read by an
 * administrator.
 */
interface AuditedFact {
  action: string;
  subject: Subject;
  /** Hashes, codes, changed field names; never personal data, never secrets (AUD-3). */
  data?: Record<string, unknown>;
}

/**
 * Writes the audit row of a fact in the fact's own transaction (AUD-2). For the parameters see `AuditedFact`.
 */
export async function audit(ctx: AuditContext, action: string, subject: Subject, data: Record<string, unknown> = {}): Promise<void> {
  await auditAll(ctx, [{ action, subject, data }]);
}

/** Writes the audit rows of several facts of one command in one statement. */
export async function auditAll(ctx: AuditContext, facts: readonly AuditedFact[]): Promise<void> {
  await auditByEach(
    ctx,
    facts.map((fact) => ({ ...fact, by: ctx })),
  );
}

/** A fact of the audit with another actor than the one who runs the command. */
export interface AuditedFactBy extends AuditedFact {
  by: Pick<AuditContext, 'actor' | 'ip'>;
}

/** Writes the audit rows of facts that each name their own actor, in one statement. */
export async function auditByEach({ db, requestId, now }: AuditContext, facts: readonly AuditedFactBy[]): Promise<void> {
  if (facts.length === 0) return;
  await db
    .insertInto('audit_events')
    .values(
      facts.map(({ by, action, subject, data = {} }) => ({
        actorId: accountableUserId(by.actor),
        impersonatedUserId: impersonatedUserId(by.actor),
        ip: by.ip,
        requestId,
        at: now,
        action,
        subjectKind: subject.kind,
        subjectId: String(subject.id),
        data: json(data),
      })),
    )
    .execute();
}

/** The reader of a private record, and the database to read from. */
export interface Reading {
  principal: SignedIn;
  caller: Caller;
  db: Database;
  now: Date;
}

/**
 * Authorizes a read of a private record by its owner or by an administrator with `admin:read`. For all other callers the record does
 * not exist (API-3). Audits an administrator's read as `<kind>.read` before the record is sent (AUD-4).
 * @param part the part of the record that is read; omit it for the whole record
 * @throws {DomainError} not_found
 */
export async function authorizeReading(
  { principal, caller, db, now }: Reading,
  subject: Subject,
  ownerId: number,
  part?: string,
): Promise<void> {
  if (principal.user.id === ownerId) return;
  if (!mayReadOthers(principal)) throw refusalOf('not_found', subject);
  await audit({ ...caller, db, now }, `${subject.kind}.read`, subject, part === undefined ? {} : { part });
}
