import type { CommandContext } from '../../platform/commands/context.ts';
import { notify } from '../notifications/index.ts';
import { registrationNotifications } from './notifications.ts';
import { isShownToOrganizer, requireAthlete } from './policy.ts';
import { lockRegistration, type RegistrationRecord } from './queries.ts';
import { recordSteps } from './record-steps.ts';
import { isPlaced, transition } from './states.ts';
import { offerPlaces } from './waiting-list/offer-places.ts';

/**
 * Withdraws an athlete's registration and frees its place and start number (REG-9); a waiting one refuses an offer with it (REG-21). Notifies the organizer unless it was never submitted
 * (REG-8).
 * @throws {DomainError} not_found; invalid_state when it is rejected or withdrawn
 */
export async function withdrawRegistration(ctx: CommandContext, id: number): Promise<RegistrationRecord> {
  const record = await lockRegistration(ctx, id);
  const { registration, event, classLimit } = record;
  requireAthlete(ctx.actor, registration);
  const hadPlace = isPlaced(registration.status);
  transition(registration, 'withdraw');
  registration.startNumber = null;
  registration.queuedAt = null;
  registration.offeredUntil = null;
  registration.reason = null;
  registration.dueAt = null;
  registration.updatedAt = ctx.now;
  await recordSteps(ctx, [{ registration, step: 'withdrawn' }]);
  if (isShownToOrganizer(registration) && event.ownerId !== registration.ownerId)
    await notify(
      ctx,
      event.ownerId,
      registrationNotifications['registration.withdrawn'],
      { kind: 'registration', id },
      { event_id: event.id },
    );
  if (hadPlace && classLimit?.capacity != null) await offerPlaces(ctx, event.id, [registration.class]);
  return record;
}
