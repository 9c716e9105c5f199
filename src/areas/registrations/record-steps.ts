import { accountableUserId, type Actor, type CommandContext } from '../../platform/commands/context.ts';
import { auditAll } from '../audit/index.ts';
import type { Registration, RegistrationHistory } from './entities.ts';

/** Steps of a registration in the audit and in its timeline. */
export type RegistrationStep =
  | 'created'
  | 'updated'
  | 'submitted'
  /** Submitted to a full class: it waits for a place (REG-21). */
  | 'queued'
  | 'offered'
  | 'accepted'
  /** An offer ran out: it waits at the end of the line. */
  | 'requeued'
  | 'approved'
  | 'returned'
  | 'rejected'
  /** The organizer set, changed or cleared the start number of an approved registration; its status stays (REG-12). */
  | 'numbered'
  | 'withdrawn'
  /** It stops or resumes being eligible; its status stays (REG-6). */
  | 'lapsed'
  | 'eligible_again';

export interface TakenStep {
  /** The state after the step. */
  registration: Pick<Registration, 'id' | 'eventId' | 'profileId' | 'ownerId' | 'status' | 'startNumber'>;
  step: RegistrationStep;
  /** Given by the organizer. */
  reason?: string | null;
  /** Audit data, in addition to the event and the profile. */
  data?: Record<string, unknown>;
}

const stepsOfHistory: ReadonlySet<RegistrationStep> = new Set([
  'created',
  'submitted',
  'queued',
  'offered',
  'accepted',
  'requeued',
  'approved',
  'returned',
  'rejected',
  'numbered',
  'withdrawn',
]);

/**
 * Writes steps into the audit, and those that create a registration or change its status or start number into the history. Takes two statements for any
 * number of steps, in the transaction of the steps. No other code writes the history.
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
  const changes = steps.filter(({ step }) => stepsOfHistory.has(step));
  if (changes.length === 0) return;
  await ctx.db
    .insertInto('registration_history')
    .values(
      changes.map(({ registration, step, reason = null }) => ({
        registrationId: registration.id,
        at: ctx.now,
        status: registration.status,
        actor: partOf(ctx.actor, step),
        actorId: accountableUserId(ctx.actor),
        reason,
        startNumber: registration.startNumber,
        requestId: ctx.requestId,
      })),
    )
    .execute();
}

const stepsOfOrganizer: ReadonlySet<RegistrationStep> = new Set(['offered', 'approved', 'returned', 'rejected', 'numbered']);

/** The part that takes a step: only the organizer decides, also on the registration of an athlete of the same account. */
function partOf(actor: Actor, step: RegistrationStep): RegistrationHistory['actor'] {
  if (actor.kind === 'process') return 'registry';
  return stepsOfOrganizer.has(step) ? 'organizer' : 'athlete';
}
