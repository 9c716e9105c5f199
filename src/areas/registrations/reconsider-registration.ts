import { assertNever } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type NotificationFacts, notify } from '../notifications/index.ts';
import { registrationNotifications } from './notifications.ts';
import { isShownToOrganizer } from './policy.ts';
import { eligibilityOfRecord, findRegistration, type LockedRegistration, lockToJudge, type RegistrationRecord } from './queries.ts';
import { recordSteps } from './record-steps.ts';
import { isLiving } from './states.ts';
import { endOffer } from './waiting-list/end-offer.ts';
import { offerEndOf } from './waiting-list/places.ts';

/**
 * Scheduled steps of a registration's process. `lapse`, `restore`: it stops or resumes being eligible on the remaining days of its event,
 * and both sides are notified (REG-6) · `release`: its event was cancelled, and the athlete is notified (REG-15) · `end_offer`: the offer of
 * a place runs out (REG-21).
 */
type DueStep = 'lapse' | 'restore' | 'release' | 'end_offer';

/**
 * Returns the step of a registration that is due at an instant. Each runs once, because the row records it. The process and its
 * description share this function.
 */
export function dueStep(record: RegistrationRecord, now: Date): DueStep | null {
  const { registration, event } = record;
  if (!isLiving(registration.status)) return null;
  // `dueAt` is set until the athlete has been notified of the cancellation.
  if (event.status === 'cancelled') return registration.dueAt === null ? null : 'release';
  const { offeredUntil } = registration;
  if (offeredUntil !== null && now >= offerEndOf({ offeredUntil }, event)) return 'end_offer';
  if (hasEnded(record, now)) return null;
  const { ok } = eligibilityOfRecord(record, now);
  if (ok === (registration.ineligibleSince === null)) return null;
  return ok ? 'restore' : 'lapse';
}

/** Whether the event is over for its registrations: not published, or past its end. */
export function hasEnded({ event }: Pick<RegistrationRecord, 'event'>, now: Date): boolean {
  return event.status !== 'published' || now >= event.endsAt;
}

/**
 * Runs the due step of a registration, if any (REG-6, REG-15, REG-21).
 *
 * Idempotent. A lapse changes no status: the row records it, and both sides are notified once.
 *
 * @throws {DomainError} not_found
 */
export async function reconsiderRegistration(ctx: CommandContext, id: number): Promise<RegistrationRecord> {
  const record = await lockToJudge(ctx, id);
  const { registration } = record;
  const step = dueStep(record, ctx.now);
  switch (step) {
    case null:
      break;
    case 'lapse': {
      registration.ineligibleSince = ctx.now;
      const { reasons } = eligibilityOfRecord(record, ctx.now);
      const [first] = reasons;
      const codes = [...new Set(reasons.map(({ code }) => code))];
      await recordSteps(ctx, [{ registration, step: 'lapsed', data: { codes, day: first?.day } }]);
      await notifyBothSides(ctx, record, 'registration.lapsed', first === undefined ? {} : { day: first.day });
      break;
    }
    case 'restore':
      registration.ineligibleSince = null;
      await recordSteps(ctx, [{ registration, step: 'eligible_again' }]);
      await notifyBothSides(ctx, record, 'registration.eligible_again');
      break;
    case 'release':
      // A null `dueAt` records that the athlete was notified.
      registration.dueAt = null;
      await notifySide(ctx, record, registration.ownerId, 'registration.event_cancelled', {});
      break;
    case 'end_offer':
      await endOffer(ctx, record);
      // The free place may have been offered to it again.
      return (await findRegistration(ctx.db, id)) ?? record;
    default:
      return assertNever(step);
  }
  return record;
}

type SentType = 'registration.lapsed' | 'registration.eligible_again' | 'registration.event_cancelled';

/** Notifies both sides; the organizer only of a submitted registration (REG-8), and a person on both sides once. */
async function notifyBothSides(
  ctx: CommandContext,
  record: LockedRegistration,
  type: SentType,
  facts: NotificationFacts = {},
): Promise<void> {
  const { registration, event } = record;
  await notifySide(ctx, record, registration.ownerId, type, { ...facts, side: 'athlete' });
  if (isShownToOrganizer(registration) && event.ownerId !== registration.ownerId)
    await notifySide(ctx, record, event.ownerId, type, { ...facts, side: 'organizer' });
}

async function notifySide(
  ctx: CommandContext,
  { id, event }: LockedRegistration,
  userId: number,
  type: SentType,
  facts: NotificationFacts,
): Promise<void> {
  await notify(ctx, userId, registrationNotifications[type], { kind: 'registration', id }, { event_id: event.id, ...facts });
}
