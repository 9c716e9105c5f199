import { withFacts } from '../queries.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { lockedAsNew } from '../../../platform/database/lock.ts';
import { yearOf } from '../../../platform/date-time.ts';
import { processRef } from '../../../platform/process-ref.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { issuedPrice } from '../application-content.ts';
import { approveWhenReady } from '../approve-application.ts';
import { type Application, ApplicationEntity } from '../entities.ts';
import { lockApplication } from '../lock-application.ts';
import { applicationProcess } from '../process.ts';
import { recordStep, markChanged } from '../record-step.ts';
import type { ApplicationRecord } from '../record.ts';
import { isLiving, transition } from '../states.ts';

/** The input of an event's fee. */
export interface NewEventFee {
  eventId: number;
  ownerId: number;
  profileId: number;
  /** Of the kind `event_fee`. */
  serviceId: number;
  disciplineId: number;
}

/**
 * Creates the fee of an event as a `submitted` application with the present price (APP-17). A free fee is settled at once.
 *
 * The caller holds the lock of the event and ensures one fee for each event.
 * @returns the new application
 */
export async function openEventFee(ctx: CommandContext, fee: NewEventFee): Promise<ApplicationRecord> {
  const { eventId, ownerId, profileId, serviceId, disciplineId } = fee;
  const data = { insurance_territory: 'KZ', discipline_id: disciplineId } as const;
  const price = await issuedPrice(ctx, { serviceId, data });
  const application = ctx.em.create(ApplicationEntity, {
    ownerId,
    profileId,
    serviceId,
    disciplineId,
    kind: 'event_fee',
    year: yearOf(ctx.now),
    data,
    status: 'submitted',
    ...price,
    paid: false,
    paidAt: null,
    paymentTransactionId: null,
    refundTransactionId: null,
    reviewNote: null,
    sharingEnabled: false,
    sharingConfirmedAt: null,
    revision: 1,
    submittedAt: ctx.now,
    resubmissionDueSince: null,
    approvedAt: null,
    cancelledAt: null,
    closedAt: null,
    dueAt: null,
    remindAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  await ctx.em.flush();
  const record = await withFacts(ctx, lockedAsNew<Application>(application));
  await recordStep(ctx, record, 'created', { service_id: serviceId, amount_minor: price.amountMinor, event_id: eventId });
  const settled = await approveWhenReady(ctx, record);
  await startProcess(ctx, applicationProcess, settled);
  return settled;
}

/**
 * Closes the fee of an event that is over, without a refund (APP-17). Does nothing when the fee has ended.
 * @throws {DomainError} not_found
 */
export async function closeEventFee(ctx: CommandContext, applicationId: number): Promise<void> {
  const locked = await lockApplication(ctx, applicationId);
  const { application } = locked;
  if (!isLiving(application.status)) return;
  transition(application, 'close');
  application.closedAt = ctx.now;
  markChanged(ctx, application);
  await recordStep(ctx, locked, 'closed');
  ctx.wake(processRef('application', applicationId));
}
