import type { CommandContext } from '../../../platform/context.ts';
import { closeEventFee } from '../../applications/index.ts';
import { wakeDependents } from './dependents.ts';
import type { LockedEvent } from './queries.ts';
import { eventTransition, nextStageStatus, stageNames, stageTransition } from './states.ts';

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
  for (const name of stageNames) if (nextStageStatus(stages[name].status, 'lock') !== null) stageTransition(stages[name], 'lock');
  await endNow(ctx, locked);
}

/** Completes an event after the approval of its results, and closes its fee (EVT-4). */
export async function completeNow(ctx: CommandContext, locked: LockedEvent): Promise<void> {
  eventTransition(locked.event, 'complete');
  locked.event.completedAt = ctx.now;
  await endNow(ctx, locked);
}

async function endNow(ctx: CommandContext, { id, event }: LockedEvent): Promise<void> {
  if (event.feeApplicationId !== null) await closeEventFee(ctx, event.feeApplicationId);
  await wakeDependents(ctx, id);
}
