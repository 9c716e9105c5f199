import type { CommandContext } from '../../../platform/context.ts';
import { closeEventFee } from '../../applications/index.ts';
import { wakeDependents } from './dependents.ts';
import type { LockedEvent } from './lock-event.ts';
import { eventTransition, nextStageStatus, stageNames, stageTransition } from './states.ts';

/**
 * Cancels an event: no stage of it is awaited any more, its fee closes, and what stands on it looks again.
 * @param reason of the person who cancels it
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

/** Completes an event whose results are approved. */
export async function completeNow(ctx: CommandContext, locked: LockedEvent): Promise<void> {
  eventTransition(locked.event, 'complete');
  locked.event.completedAt = ctx.now;
  await endNow(ctx, locked);
}

async function endNow(ctx: CommandContext, { id, event }: LockedEvent): Promise<void> {
  if (event.feeApplicationId !== null) await closeEventFee(ctx, event.feeApplicationId);
  await wakeDependents(ctx, id);
}
