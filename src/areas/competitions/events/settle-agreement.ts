import type { CommandContext } from '../../../platform/context.ts';
import { notify } from '../../notifications/index.ts';
import { type LockedEvent, lockEvent } from './queries.ts';
import { eventNotifications } from './notifications.ts';
import { markChanged, recordEventStep } from './record-event-step.ts';
import { eventTransition, isLiving, nextStageStatus, type StageName, stageTransition } from './states.ts';

/** Opens a locked stage after approval of the previous one (EVT-2). A stage that was open before stays as it is. */
export function openStage({ stages }: Pick<LockedEvent, 'stages'>, name: StageName): void {
  if (stages[name].status === 'locked') stageTransition(stages[name], 'open');
}

/**
 * Approves the agreement stage when the event's contract is confirmed, or reopens it when the contract is replaced or cancelled (EVT-3).
 *
 * After reopening no stage can be submitted until a contract is confirmed; a publication stays. Runs in the contract's transaction. Lock
 * order: contract, then event. Idempotent; does nothing for an event that is over or of the earlier flow (EVT-18).
 *
 * @throws {DomainError} not_found
 */
export async function settleAgreement(ctx: CommandContext, eventId: number, isConfirmed: boolean): Promise<void> {
  const locked = await lockEvent(ctx, eventId);
  const { event, stages } = locked;
  const { agreement } = stages;
  const action = isConfirmed ? 'settle' : 'reopen';
  if (event.agreementFlow !== 3 || !isLiving(event.status) || nextStageStatus(agreement.status, action) === null) return;
  stageTransition(agreement, action);
  eventTransition(event, isConfirmed ? 'begin' : 'fall_back');
  agreement.decidedAt = isConfirmed ? ctx.now : null;
  agreement.submittedAt = isConfirmed ? ctx.now : null;
  if (isConfirmed) openStage(locked, 'details');
  markChanged(ctx, locked);
  await recordEventStep(ctx, locked, isConfirmed ? 'agreement_confirmed' : 'agreement_reopened', { stage: 'agreement' });
  const kind = isConfirmed ? 'event_stage.approved' : 'event_stage.reopened';
  const subject = { kind: 'event', id: eventId };
  await notify(ctx, event.ownerId, eventNotifications[kind], subject, { stage: 'agreement', title: event.title });
}
