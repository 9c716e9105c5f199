import { type CommandContext, isActingAsAdministrator } from '../../../platform/context.ts';
import { notify } from '../../notifications/index.ts';
import { requireEventOwner } from '../policy.ts';
import { cancelNow } from './end-event.ts';
import { lockEvent } from './queries.ts';
import { eventNotifications } from './notifications.ts';
import { markChanged, recordEventStep } from './record-event-step.ts';
import type { EventRecord } from './record.ts';

/**
 * Cancels an event: the owner before publication, an administrator at any time, also a completed one (EVT-9). A paid fee is not refunded
 * (EVT-4).
 * @returns the cancelled event
 * @throws {DomainError} not_found, invalid_state
 */
export async function cancelEvent(ctx: CommandContext, id: number, { reason }: { reason: string }): Promise<EventRecord> {
  const locked = await lockEvent(ctx, id);
  const { event } = locked;
  const isByAdministrator = isActingAsAdministrator(ctx.actor);
  if (!isByAdministrator) requireEventOwner(ctx.actor, event);
  await cancelNow(ctx, locked, isByAdministrator ? 'cancel' : 'withdraw', reason);
  markChanged(ctx, locked);
  await recordEventStep(ctx, locked, 'cancelled', { by: isByAdministrator ? 'administrator' : 'owner' });
  const subject = { kind: 'event', id };
  await notify(ctx, event.ownerId, eventNotifications['event_stage.cancelled'], subject, { title: event.title, reason });
  return locked;
}
