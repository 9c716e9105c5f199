import { accountableUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { AuditEventEntity } from './entities.ts';

/** The record that something was done to. */
export interface Subject {
  kind: string;
  id: number | string;
}

/**
 * Writes the audit row of a fact in the fact's own transaction (decisions.md §9).
 * @param action `<resource>.<past verb>`, such as `application.submitted`
 * @param data hashes, codes, changed field names; never values of people, never secrets
 */
export function audit(ctx: CommandContext, action: string, subject: Subject, data: Record<string, unknown> = {}): void {
  ctx.em.create(AuditEventEntity, {
    action,
    actorId: accountableUserId(ctx.actor),
    impersonatedUserId: ctx.actor.kind === 'user' ? ctx.actor.impersonatedUserId : null,
    subjectKind: subject.kind,
    subjectId: String(subject.id),
    ip: ctx.ip,
    requestId: ctx.requestId,
    at: ctx.now,
    data,
  });
}
