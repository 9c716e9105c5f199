import type { CommandContext } from '../../../platform/commands/context.ts';
import { notify } from '../../notifications/index.ts';
import { registrationNotifications } from '../notifications.ts';
import type { LockedRegistration } from '../queries.ts';
import { recordSteps } from '../record-steps.ts';
import { transition } from '../states.ts';
import { offerPlaces } from './offer-places.ts';

/** Ends an offer that ran out: the first puts its registration at the end of the line, the second withdraws it (REG-21). */
export async function endOffer(ctx: CommandContext, { id, registration, event }: LockedRegistration): Promise<void> {
  const isLast = registration.hasMissedOffer;
  transition(registration, isLast ? 'withdraw' : 'requeue');
  registration.offeredUntil = null;
  registration.queuedAt = isLast ? null : ctx.now;
  registration.hasMissedOffer = true;
  if (isLast) registration.dueAt = null;
  registration.updatedAt = ctx.now;
  await recordSteps(ctx, [{ registration, step: isLast ? 'withdrawn' : 'requeued' }]);
  const facts = { event_id: event.id, outcome: isLast ? 'withdrawn' : 'requeued' };
  await notify(ctx, registration.ownerId, registrationNotifications['registration.offer_expired'], { kind: 'registration', id }, facts);
  await offerPlaces(ctx, event.id, [registration.class]);
}
