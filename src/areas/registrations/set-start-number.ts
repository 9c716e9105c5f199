import type { CommandContext } from '../../platform/commands/context.ts';
import { holdUnchanged } from '../../platform/database/lock.ts';
import { EventEntity } from '../competitions/index.ts';
import { notify } from '../notifications/index.ts';
import { registrationNotifications } from './notifications.ts';
import { lockRegistration, type RegistrationRecord } from './queries.ts';
import { recordSteps } from './record-steps.ts';
import { requireDecidable } from './policy.ts';
import { requireTransition } from './states.ts';

/**
 * Sets, changes or clears the start number of an approved registration (REG-12). An equal number changes nothing. Its process waits for no
 * number, so it is not commanded. The index `registrations_start_number_unique` holds the number.
 * @throws {DomainError} not_found; invalid_state unless it is approved and the event is published; start_number_taken at the flush
 */
export async function setStartNumber(
  ctx: CommandContext,
  id: number,
  { eventId, startNumber }: { eventId: number; startNumber: string | null },
): Promise<RegistrationRecord> {
  await holdUnchanged(ctx.em, EventEntity, { id: eventId });
  const record = await lockRegistration(ctx, id);
  const { registration } = record;
  requireDecidable(ctx.actor, record, eventId);
  requireTransition(registration, 'number');
  if (registration.startNumber === startNumber) return record;
  registration.startNumber = startNumber;
  registration.updatedAt = ctx.now;
  await recordSteps(ctx, [{ registration, step: 'numbered', data: { start_number: startNumber } }]);
  const facts = { event_id: eventId, ...(startNumber === null ? {} : { start_number: startNumber }) };
  await notify(ctx, registration.ownerId, registrationNotifications['registration.numbered'], { kind: 'registration', id }, facts);
  return record;
}
