import { accountableUserId, actingUserId, type Actor, type CommandContext } from '../../platform/context.ts';
import { auditAll } from '../audit/index.ts';
import type { Registration, RegistrationHistory } from './entities.ts';

/** Everything that happens to a registration, as the audit and its timeline name it. */
export type RegistrationStep =
  | 'created'
  | 'updated'
  | 'submitted'
  | 'approved'
  | 'returned'
  | 'rejected'
  | 'withdrawn'
  /** It no longer stands on every day of its event, or does so again; its status stays. */
  | 'lapsed'
  | 'eligible_again';

export interface TakenStep {
  /** As it stands after the step. */
  registration: Pick<Registration, 'id' | 'eventId' | 'profileId' | 'ownerId' | 'status'>;
  step: RegistrationStep;
  /** The organizer's. */
  reason?: string | null;
  /** For the audit, beside the event and the profile. */
  data?: Record<string, unknown>;
}

const changesOfStatus: ReadonlySet<RegistrationStep> = new Set(['submitted', 'approved', 'returned', 'rejected', 'withdrawn']);

/**
 * Writes steps into the audit, and into the history those that change a status or make a registration, in the steps' own transaction: two
 * statements, however many there are. The one place where either is written.
 */
export async function recordSteps(ctx: CommandContext, steps: readonly TakenStep[]): Promise<void> {
  await auditAll(
    ctx,
    steps.map(({ registration: { id, eventId, profileId }, step, data }) => ({
      action: `registration.${step}`,
      subject: { kind: 'registration', id },
      data: { event_id: eventId, profile_id: profileId, ...data },
    })),
  );
  const changes = steps.filter(({ step }) => step === 'created' || changesOfStatus.has(step));
  if (changes.length === 0) return;
  await ctx.db
    .insertInto('registration_history')
    .values(
      changes.map(({ registration, reason = null }) => ({
        registrationId: registration.id,
        at: ctx.now,
        status: registration.status,
        actor: roleOf(ctx.actor, registration.ownerId),
        actorId: accountableUserId(ctx.actor),
        reason,
        requestId: ctx.requestId,
      })),
    )
    .execute();
}

function roleOf(actor: Actor, athleteId: number): RegistrationHistory['actor'] {
  const userId = actingUserId(actor);
  if (userId === null) return 'registry';
  return userId === athleteId ? 'athlete' : 'organizer';
}
