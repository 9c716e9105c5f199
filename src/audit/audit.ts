import { accountableUserId, impersonatedUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { json } from '../platform/database/database.ts';

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
