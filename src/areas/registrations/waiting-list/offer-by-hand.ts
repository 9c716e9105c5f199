import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { EventEntity } from '../../competitions/index.ts';
import { requireDecidable } from '../policy.ts';
import { lockRegistration, type RegistrationRecord } from '../queries.ts';
import { requireTransition } from '../states.ts';
import { offerTo } from './offer-places.ts';
import { countPlaces, emptyClass, lockClasses } from './places.ts';

/**
 * The organizer offers a free place to a registration that waits, also after the intake has closed (REG-21).
 * @throws {DomainError} not_found, also for another event; invalid_state unless it waits, and after the start of the event; class_full
 *   without a free place
 */
export async function offerByHand(ctx: CommandContext, id: number, { eventId }: { eventId: number }): Promise<RegistrationRecord> {
  await holdUnchanged(ctx.em, EventEntity, { id: eventId });
  const record = await lockRegistration(ctx, id);
  const { registration, event, classLimit } = record;
  requireDecidable(ctx.actor, record, eventId);
  requireTransition(registration, 'offer');
  if (ctx.now >= event.startsAt) throw new DomainError('invalid_state', { status: registration.status }, 'The competition has begun.');
  if (classLimit === null) throw new DomainError('class_full', { class: registration.class });
  await lockClasses(ctx.db, eventId, [registration.class]);
  const { taken } = (await countPlaces(ctx.db, eventId, [registration.class])).get(registration.class) ?? emptyClass;
  if (classLimit.capacity !== null && taken >= classLimit.capacity) throw new DomainError('class_full', { class: registration.class });
  await offerTo(ctx, registration, classLimit, event);
  return record;
}
