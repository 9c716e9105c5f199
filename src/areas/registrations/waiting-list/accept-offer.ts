import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { notifyOfSubmissions } from '../../competitions/index.ts';
import { requireAthlete } from '../policy.ts';
import { lockToJudge, type RegistrationRecord, requireEligible } from '../queries.ts';
import { recordSteps } from '../record-steps.ts';
import { transition } from '../states.ts';
import { offerEndOf } from './places.ts';

/**
 * The athlete takes an offered place: the registration is submitted, and waits for the organizer (REG-21).
 * @throws {DomainError} not_found, for another account; invalid_state without an offer, and after its end; not_eligible with the reasons
 */
export async function acceptOffer(ctx: CommandContext, id: number): Promise<RegistrationRecord> {
  const record = await lockToJudge(ctx, id);
  const { registration, event } = record;
  requireAthlete(ctx.actor, registration);
  const { status, offeredUntil } = registration;
  transition(registration, 'accept');
  if (event.status !== 'published' || offeredUntil === null || ctx.now >= offerEndOf({ offeredUntil }, event))
    throw new DomainError('invalid_state', { status }, 'The offer has run out.');
  requireEligible(record, ctx.now);
  registration.offeredUntil = null;
  registration.updatedAt = ctx.now;
  await recordSteps(ctx, [{ registration, step: 'accepted' }]);
  // The notification counts what waits, this registration included.
  await ctx.em.flush();
  if (event.ownerId !== registration.ownerId) await notifyOfSubmissions(ctx, event);
  return record;
}
