import { DomainError } from '../../errors.ts';
import { type Actor, type CommandContext, isActingAsAdministrator } from '../../platform/context.ts';
import type { Decision } from './entities.ts';

/**
 * The administrator who decides. Routes let nobody else in; a command does not rely on who called it.
 * @returns his user id, for the record of the decision
 * @throws {DomainError} forbidden
 */
export function requireAdministrator({ actor }: { actor: Actor }): number {
  if (actor.kind !== 'user' || !isActingAsAdministrator(actor)) throw new DomainError('forbidden');
  return actor.userId;
}

/** What an administrator decided about a record, and what followed from it. */
export interface RecordedDecision {
  /** Kind and id of the record; the kind is that of its reviewable: `photo` for the photo of a profile. */
  subject: { kind: string; id: number };
  decision: Decision;
  note: string | null;
  fromStatus: string;
  toStatus: string;
}

/**
 * Writes a decision into the history of its record (service.md: "decision history is kept"), in the transaction that puts it into effect.
 * @throws {DomainError} forbidden, when the caller is no administrator
 */
export async function recordDecision(ctx: CommandContext, { subject, ...decided }: RecordedDecision): Promise<void> {
  const actorId = requireAdministrator(ctx);
  await ctx.db
    .insertInto('review_decisions')
    .values({ subjectKind: subject.kind, subjectId: subject.id, ...decided, actorId, requestId: ctx.requestId, at: ctx.now })
    .execute();
}
