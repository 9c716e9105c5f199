import { DomainError, fieldProblem } from '../../errors.ts';
import { type Actor, type CommandContext, isActingAsAdministrator } from '../../platform/commands/context.ts';
import { lengthOf } from '../../platform/text.ts';
import type { Decision } from './entities.ts';

/**
 * Returns the user id of the deciding administrator. Routes check the role too, but a command does not rely on its caller.
 * @throws {DomainError} forbidden
 */
export function requireAdministrator({ actor }: { actor: Actor }): number {
  if (actor.kind !== 'user' || !isActingAsAdministrator(actor)) throw new DomainError('forbidden');
  return actor.userId;
}

/**
 * Returns the note or reason of a decision that needs one (REV-1).
 * @param field of the request that holds it
 * @throws {DomainError} validation_failed unless it has 5-3000 characters
 */
export function requireExplanation(text: string | null, field: 'note' | 'reason'): string {
  const length = text === null ? 0 : lengthOf(text);
  if (text !== null && length >= 5 && length <= 3000) return text;
  throw fieldProblem(`body.${field}`, 'required', 'is required for this decision, 5-3000 characters');
}

/** @throws {DomainError} validation_failed for a decision other than an approval without a note (REV-1) */
export function requireNote(decision: Decision, note: string | null): void {
  if (decision !== 'approve') requireExplanation(note, 'note');
}

/** A decision on a record and the change of status that follows. */
interface RecordedDecision {
  /** Kind and id of the record; the kind is that of its reviewable: `photo` for the photo of a profile. */
  subject: { kind: string; id: number };
  decision: Decision;
  note: string | null;
  fromStatus: string;
  toStatus: string;
}

/**
 * Writes a decision into the history of its record (REV-2), in the transaction that puts it into effect.
 * @throws {DomainError} forbidden, when the caller is no administrator
 */
export async function recordDecision(ctx: CommandContext, { subject, ...decided }: RecordedDecision): Promise<void> {
  const actorId = requireAdministrator(ctx);
  await ctx.db
    .insertInto('review_decisions')
    .values({ subjectKind: subject.kind, subjectId: subject.id, ...decided, actorId, requestId: ctx.requestId, at: ctx.now })
    .execute();
}
