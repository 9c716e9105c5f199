import type { SubmitStageArgs } from '../../../../workflows/contracts/event.contract.ts';
import { checkAll, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { countRows } from '../../../platform/database/database.ts';
import { openEventFee } from '../../applications/index.ts';
import { requireEventOwner } from '../policy.ts';
import { findFileHash, type LockedEvent, lockEvent } from './queries.ts';
import { recordEventStep } from './record-event-step.ts';
import type { EventFee, EventRecord } from './record.ts';
import { requireStageOpen, stageTransition } from './states.ts';

/**
 * Submits a stage for review. The order of the stages is checked before the content (EVT-2).
 *
 * The first submission of the details makes the event's fee; later ones keep it (EVT-4). Results need a participant (EVT-7).
 *
 * @throws {DomainError} not_found; stage_not_open; validation_failed at `files.<stage>` without its file, at `participants` without any
 */
export async function submitStage(ctx: CommandContext, id: number, { stage: name }: SubmitStageArgs): Promise<EventRecord> {
  const locked = await lockEvent(ctx, id);
  const stage = locked.stages[name];
  requireEventOwner(ctx.actor, locked.event);
  requireStageOpen(locked, name, ctx.now);
  const [sha256] = await checkAll(
    () => (name === 'details' ? null : requireFile(ctx, locked, name)),
    () => (name === 'results' ? requireParticipant(ctx, id) : null),
  );
  stageTransition(stage, 'submit', ctx.now);
  stage.submittedAt = ctx.now;
  stage.decidedAt = null;
  stage.reviewNote = null;
  if (name === 'details') locked.fee ??= await openFee(ctx, locked);
  locked.event.updatedAt = ctx.now;
  const withFee = name === 'details' && locked.fee !== null ? { application_id: locked.fee.id } : {};
  await recordEventStep(ctx, locked, 'submitted', { stage: name, ...(sha256 === null ? {} : { sha256 }), ...withFee });
  return locked;
}

/** @returns the SHA-256 of the stage's file */
async function requireFile(ctx: CommandContext, { stages }: LockedEvent, name: 'regulations' | 'results'): Promise<string> {
  const { fileId } = stages[name];
  if (fileId === null) throw fieldProblem(`files.${name}`, 'required', `attach a PDF of the ${name} first`);
  return findFileHash(ctx.db, fileId);
}

/** @throws {DomainError} validation_failed, for results without a participant (EVT-7) */
async function requireParticipant(ctx: CommandContext, id: number): Promise<void> {
  const count = await countRows(ctx.db.selectFrom('participants').where('eventId', '=', id));
  if (count === 0) throw fieldProblem('participants', 'required', 'add at least one participant first');
}

async function openFee(ctx: CommandContext, { id, event }: LockedEvent): Promise<EventFee> {
  const { ownerId, profileId, serviceId, disciplineId } = event;
  const { application } = await openEventFee(ctx, { eventId: id, ownerId, profileId, serviceId, disciplineId });
  event.feeApplicationId = application.id;
  return { id: application.id, status: application.status, paid: application.amountMinor === 0, paidAt: null };
}
