import type { CommandContext } from '../../../platform/commands/context.ts';
import { yearOf } from '../../../platform/time/date-time.ts';
import { processRef } from '../../../platform/workflows/process-ref.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { approveWhenReady } from '../approve-application.ts';
import { insertApplication, issuedPrice, markChanged, recordStep } from '../command-parts.ts';
import { applicationProcess } from '../process.ts';
import { lockApplication, withFacts } from '../queries.ts';
import type { ApplicationRecord } from '../record.ts';
import { isLiving, transition } from '../states.ts';

/** The input of an event's fee. */
interface NewEventFee {
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
 */
export async function openEventFee(ctx: CommandContext, fee: NewEventFee): Promise<ApplicationRecord> {
  const { eventId, ownerId, profileId, serviceId, disciplineId } = fee;
  const data = { insurance_territory: 'KZ', discipline_id: disciplineId } as const;
  const year = yearOf(ctx.now);
  const price = await issuedPrice(ctx, { serviceId, year, data });
  const fields = {
    ownerId,
    profileId,
    serviceId,
    kind: 'event_fee',
    year,
    data,
    status: 'submitted',
    submittedAt: ctx.now,
    dueAt: null,
  } as const;
  const record = await withFacts(ctx, await insertApplication(ctx, fields, price));
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
