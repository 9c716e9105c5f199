import { accountableUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { sendPrepared } from '../platform/database/prepared.ts';

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
  sendPrepared(
    ctx.em,
    `insert into audit_events (action, actor_id, impersonated_user_id, subject_kind, subject_id, ip, request_id, at, data)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      action,
      accountableUserId(ctx.actor),
      ctx.actor.kind === 'user' ? ctx.actor.impersonatedUserId : null,
      subject.kind,
      String(subject.id),
      ctx.ip,
      ctx.requestId,
      ctx.now,
      JSON.stringify(data),
    ],
  );
}
