import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { holdUnchanged } from '../../platform/database/lock.ts';
import { EventEntity } from '../competitions/index.ts';
import { notify } from '../notifications/index.ts';
import { requireWords } from '../reviews/index.ts';
import { registrationNotifications } from './notifications.ts';
import { requireOrganizer } from './policy.ts';
import { lockRegistration, lockToJudge, type RegistrationRecord, requireEligible } from './queries.ts';
import { recordSteps } from './record-steps.ts';
import { transition } from './states.ts';

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
 * Approval requires eligibility under the locks (REG-6, REG-7). The index `registrations_start_number_unique` holds REG-12.
 *
 * @throws {DomainError} not_found, also for a draft (REG-8); invalid_state unless it is submitted and the event is published; not_eligible
 *   with the reasons; validation_failed without a reason; start_number_taken at the flush
 */
export async function decideRegistration(ctx: CommandContext, id: number, input: RegistrationDecision): Promise<RegistrationRecord> {
  const { eventId, decision, startNumber, reason = null } = input;
  // The event is locked first, so that it cannot be cancelled before the decision is written.
  await holdUnchanged(ctx.em, EventEntity, { id: eventId });
  const record = await (decision === 'approve' ? lockToJudge : lockRegistration)(ctx, id);
  const { registration, event } = record;
  if (registration.eventId !== eventId) throw new DomainError('not_found');
  requireOrganizer(ctx.actor, record);
  if (decision !== 'approve') requireWords(reason, 'reason');
  if (event.status !== 'published')
    throw new DomainError('invalid_state', { event_status: event.status }, 'The event is completed or cancelled.');

  transition(registration, decision);
  if (decision === 'approve') requireEligible(record, ctx.now);
  registration.startNumber = decision === 'approve' ? startNumber : null;
  registration.reason = decision === 'approve' ? null : reason;
  registration.decidedAt = ctx.now;
  registration.updatedAt = ctx.now;
  const step = stepOf[decision];
  await recordSteps(ctx, [{ registration, step, reason, data: startNumber === null ? {} : { start_number: startNumber } }]);
  const facts = {
    event_id: event.id,
    ...(reason === null ? {} : { reason }),
    ...(registration.startNumber === null ? {} : { start_number: registration.startNumber }),
  };
  await notify(ctx, registration.ownerId, registrationNotifications[`registration.${step}`], { kind: 'registration', id }, facts);
  return record;
}

const stepOf = { approve: 'approved', return: 'returned', reject: 'rejected' } as const;
