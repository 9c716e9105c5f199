import type { CommandContext } from '../../platform/commands/context.ts';
import { holdUnchanged } from '../../platform/database/lock.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { EventEntity } from '../competitions/index.ts';
import { notify } from '../notifications/index.ts';
import { requireExplanation } from '../reviews/index.ts';
import { registrationNotifications } from './notifications.ts';
import { requireDecidable } from './policy.ts';
import { correctableUntil, lockRegistration, lockToJudge, type RegistrationRecord, requireEligible } from './queries.ts';
import { requireCrew } from './require-crew.ts';
import { recordSteps } from './record-steps.ts';
import { transition } from './states.ts';
import { offerPlaces } from './waiting-list/offer-places.ts';

/** The organizer's decision (REG-5). */
export interface RegistrationDecision {
  eventId: number;
  decision: 'approve' | 'return' | 'reject';
  startNumber: string | null;
  /** 5-3000 characters; required for `return` and `reject`. */
  reason?: string | null;
}

/**
 * Applies the organizer's decision to a submitted registration (REG-5).
 *
 * Approval requires eligibility and a crew that holds, under the locks (REG-6, REG-7, REG-14). The index `registrations_start_number_unique` holds REG-12.
 *
 * @throws {DomainError} not_found, also for a draft (REG-8); invalid_state unless it is submitted and the event is published; not_eligible
 *   with the reasons; crew_not_valid with what is wrong; validation_failed without a reason; start_number_taken at the flush
 */
export async function decideRegistration(ctx: CommandContext, id: number, input: RegistrationDecision): Promise<RegistrationRecord> {
  const { eventId, decision, startNumber, reason = null } = input;
  // The event is locked first, so that it cannot be cancelled before the decision is written.
  await holdUnchanged(ctx.em, EventEntity, { id: eventId });
  const record = await (decision === 'approve' ? lockToJudge : lockRegistration)(ctx, id);
  const { registration, event } = record;
  requireDecidable(ctx.actor, record, eventId);
  if (decision !== 'approve') requireExplanation(reason, 'reason');

  transition(registration, decision);
  if (decision === 'approve') {
    requireEligible(record, ctx.now);
    await requireCrew(ctx, record);
  }
  registration.startNumber = decision === 'approve' ? startNumber : null;
  registration.reason = decision === 'approve' ? null : reason;
  registration.decidedAt = ctx.now;
  registration.updatedAt = ctx.now;
  const step = stepOf[decision];
  await recordSteps(ctx, [{ registration, step, reason, data: startNumber === null ? {} : { start_number: startNumber } }]);
  const facts = {
    event_id: event.id,
    ...(decision === 'return' ? correctionOf(record, ctx.now) : {}),
    ...(reason === null ? {} : { reason }),
    ...(registration.startNumber === null ? {} : { start_number: registration.startNumber }),
  };
  await notify(ctx, registration.ownerId, registrationNotifications[`registration.${step}`], { kind: 'registration', id }, facts);
  if (decision === 'reject' && record.classLimit?.capacity != null) await offerPlaces(ctx, event.id, [registration.class]);
  return record;
}

/** Until when a returned registration may be corrected; afterwards its notification does not ask for it (REG-5). */
function correctionOf(record: RegistrationRecord, now: Date) {
  const until = correctableUntil(record);
  return now < until ? { until: formatDateTime(until) } : { correction: 'closed' };
}

const stepOf = { approve: 'approved', return: 'returned', reject: 'rejected' } as const;
