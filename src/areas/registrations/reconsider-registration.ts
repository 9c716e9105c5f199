import { assertNever } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type NotificationFacts, notify } from '../notifications/index.ts';
import { dueStep, eligibilityAhead } from './due-step.ts';
import { type LockedRegistration, lockToJudge } from './lock-registration.ts';
import { registrationNotifications } from './notifications.ts';
import { isShownToOrganizer } from './policy.ts';
import { recordSteps } from './record-steps.ts';
import type { RegistrationRecord } from './record.ts';

/**
 * Runs the due step of a registration, if any (REG-6, REG-15).
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
      const { reasons } = eligibilityAhead(record, ctx.now);
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
