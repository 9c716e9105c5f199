import { mayReadOthers, type SignedIn } from '../../http/access/access.ts';
import { accountableUserId, type Caller, type CommandContext, impersonatedUserId } from '../../platform/context.ts';
import { type Database, json } from '../../platform/database/database.ts';
import { refusalOf } from '../../platform/security-log.ts';

/** The record that something was done to. */
export interface Subject {
  kind: string;
  id: number | string;
}

/** As much of a command as its audit rows tell; a reading that is audited has it too. */
export type AuditContext = Pick<CommandContext, 'actor' | 'requestId' | 'ip' | 'db' | 'now'>;

/** One fact of the audit. `action`: `<resource>.<past verb>`, such as `application.submitted`; `<resource>.read` where an administrator looked. */
export interface AuditedFact {
  action: string;
  subject: Subject;
  /** Hashes, codes, changed field names; never values of people, never secrets. */
  data?: Record<string, unknown>;
}

/**
 * Writes the audit row of a fact in the fact's own transaction (decisions.md §9).
 * @param action see `AuditedFact`, as the other two
 */
export async function audit(ctx: AuditContext, action: string, subject: Subject, data: Record<string, unknown> = {}): Promise<void> {
  await auditAll(ctx, [{ action, subject, data }]);
}

/** The same of facts that one command brings about together, in one statement. */
export async function auditAll(ctx: AuditContext, facts: readonly AuditedFact[]): Promise<void> {
  await auditByEach(
    ctx,
    facts.map((fact) => ({ ...fact, by: ctx })),
  );
}

/** One fact of the audit that is told of somebody else than who runs the command. */
export interface AuditedFactBy extends AuditedFact {
  by: Pick<AuditContext, 'actor' | 'ip'>;
}

/** The same of facts of which each names its own actor. */
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

/** A reading under way: who reads, and the queries by which. */
export interface Reading {
  principal: SignedIn;
  caller: Caller;
  db: Database;
  now: Date;
}

/**
 * The one rule of private records: their owner reads them, and so do administrators with `admin:read`; for anybody else they do not
 * exist. What an administrator reads of somebody else is audited as `<kind>.read` before he gets it.
 * @param part what of the record is read, where it is not the whole
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
