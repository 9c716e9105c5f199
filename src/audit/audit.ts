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
  if (facts.length === 0) return;
  const common = {
    actorId: accountableUserId(ctx.actor),
    impersonatedUserId: impersonatedUserId(ctx.actor),
    ip: ctx.ip,
    requestId: ctx.requestId,
    at: ctx.now,
  };
  await ctx.db
    .insertInto('audit_events')
    .values(
      facts.map(({ action, subject, data = {} }) => ({
        ...common,
        action,
        subjectKind: subject.kind,
        subjectId: String(subject.id),
        data: json(data),
      })),
    )
    .execute();
}
