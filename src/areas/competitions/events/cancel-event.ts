import { type CommandContext, isActingAsAdministrator, isOwnAct } from '../../../platform/commands/context.ts';
import { closeEventFee } from '../../applications/index.ts';
import { notify } from '../../notifications/index.ts';
import { requireEventOwner } from '../policy.ts';
import { wakeDependents } from './dependents.ts';
import { eventNotifications } from './notifications.ts';
import { type LockedEvent, lockEvent } from './queries.ts';
import { recordEventStep } from './record-event-step.ts';
import type { EventRecord } from './record.ts';
import { eventTransition, nextStageStatus, stageNames, stageTransition } from './states.ts';

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
  event.updatedAt = ctx.now;
  await recordEventStep(ctx, locked, 'cancelled', { by: isByAdministrator ? 'administrator' : 'owner' });
  const subject = { kind: 'event', id };
  if (!isOwnAct(ctx.actor, event.ownerId))
    await notify(ctx, event.ownerId, eventNotifications['event_stage.cancelled'], subject, { title: event.title, reason });
  return locked;
}

/**
 * Cancels an event (EVT-9): locks its open stages, closes its fee and wakes its dependents.
 * @param reason given by the person who cancels
 * @throws {DomainError} invalid_state
 */
export async function cancelNow(ctx: CommandContext, locked: LockedEvent, action: 'withdraw' | 'cancel', reason: string): Promise<void> {
  const { event, stages } = locked;
  eventTransition(event, action);
  event.cancelledAt = ctx.now;
  event.cancelReason = reason;
  for (const name of stageNames) if (nextStageStatus(stages[name].status, 'lock') !== null) stageTransition(stages[name], 'lock', ctx.now);
  await endNow(ctx, locked);
}

/** Closes the fee of an event that is cancelled or completed (EVT-4), and wakes its dependents. */
export async function endNow(ctx: CommandContext, { event }: LockedEvent): Promise<void> {
  if (event.feeApplicationId !== null) await closeEventFee(ctx, event.feeApplicationId);
  await wakeDependents(ctx, event);
}
