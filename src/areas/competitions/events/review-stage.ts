import type { ReviewStageArgs } from '../../../../workflows/contracts/event.contract.ts';
import { assertNever, DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { requireSeen } from '../../../platform/database/lock.ts';
import { holdFile } from '../../files/index.ts';
import { notify } from '../../notifications/index.ts';
import { recordDecision, requireAdministrator, requireNote } from '../../reviews/index.ts';
import type { Event } from '../entities.ts';
import { differencesFromAgreement, openStage } from './agreement.ts';
import { cancelNow, endNow } from './cancel-event.ts';
import { wakeDependents } from './dependents.ts';
import { type LockedEvent, lockEvent, findFileHash } from './queries.ts';
import { eventNotifications } from './notifications.ts';
import { recordEventStep } from './record-event-step.ts';
import { settleReminder } from './schedule.ts';
import type { EventRecord } from './record.ts';
import { eventTransition, isInTurn, requireStageAction, stageAfter, type StageName, stageTransition } from './states.ts';

export interface StageReview extends ReviewStageArgs {
  /** 5-3000 characters, for `changes` and `cancel`. */
  note?: string | null | undefined;
}

/**
 * Applies an administrator's decision to a submitted stage (EVT-2).
 *
 * `approve` opens the next stage; approved details publish the event, approved results complete it. `changes` returns the stage; `cancel`
 * cancels the event. A repeat of the same decision with the same note is idempotent: it writes and sends nothing.
 *
 * @throws {DomainError} forbidden; not_found; validation_failed without a note; invalid_state for a stage that is not submitted, or
 *   that a contract decides (EVT-18); stage_not_open while an earlier stage is not approved; fee_unpaid (EVT-4); agreement_differs
 *   `{ fields }` (EVT-6); stale_revision (REV-5); file_missing (REV-6)
 */
export async function reviewStage(
  ctx: CommandContext,
  id: number,
  { stage: name, decision, note = null, updatedAt }: StageReview,
): Promise<EventRecord> {
  requireAdministrator(ctx);
  requireNote(decision, note);
  const locked = await lockEvent(ctx, id);
  const { event, stages } = locked;
  const stage = stages[name];
  if (name === 'agreement' && event.agreementFlow === 3) throw decidedByContract(locked);
  requireSeen(stage, updatedAt);
  if (isRepeat(locked, name, decision, note)) return locked;
  requireStageAction(stage, decision === 'approve' ? 'approve' : 'return');
  if (name === 'details' && locked.fee?.paid !== true)
    throw new DomainError('fee_unpaid', { ...(locked.fee && { application_id: locked.fee.id }) });
  if (decision === 'approve' && !isInTurn(locked, name)) throw new DomainError('stage_not_open', { stage: name, status: stage.status });
  if (name === 'details' && decision === 'approve') requireSameTerms(event);
  if (decision === 'approve' && stage.fileId !== null) await holdFile(ctx, stage.fileId);

  const fromStatus = stage.status;
  const subject = { kind: 'event', id };
  const facts = { stage: name, title: event.title };
  const sha256 = stage.fileId === null ? {} : { sha256: await findFileHash(ctx.db, stage.fileId) };
  stage.decidedAt = ctx.now;
  stage.reviewNote = decision === 'approve' ? null : note;
  event.updatedAt = ctx.now;
  switch (decision) {
    case 'approve':
      stageTransition(stage, 'approve', ctx.now);
      await advance(ctx, locked, name);
      await recordEventStep(ctx, locked, 'approved', { stage: name, ...sha256 });
      await notify(ctx, event.ownerId, eventNotifications['event_stage.approved'], subject, facts);
      break;
    case 'changes':
      stageTransition(stage, 'return', ctx.now);
      settleReminder(locked, name, ctx.now);
      await recordEventStep(ctx, locked, 'returned', { stage: name, ...sha256 });
      await notify(ctx, event.ownerId, eventNotifications['event_stage.changes'], subject, {
        ...facts,
        ...(isInTurn(locked, name) ? {} : { agreement: 'missing' }),
        note: note ?? '',
      });
      break;
    case 'cancel':
      await cancelNow(ctx, locked, 'cancel', note ?? '');
      await recordEventStep(ctx, locked, 'cancelled', { stage: name, by: 'administrator', ...sha256 });
      await notify(ctx, event.ownerId, eventNotifications['event_stage.cancelled'], subject, { ...facts, note: note ?? '' });
      break;
    default:
      assertNever(decision);
  }
  const toStatus = decision === 'cancel' ? event.status : stage.status;
  await recordDecision(ctx, { subject: { kind: 'event_stage', id }, decision, note, fromStatus, toStatus });
  return locked;
}

/** @throws {DomainError} agreement_differs, when the event differs from its contract (EVT-6) */
function requireSameTerms(event: Readonly<Event>): void {
  const fields = differencesFromAgreement(event);
  if (fields.length > 0) throw new DomainError('agreement_differs', { fields });
}

/** Opens the next stage and moves the event on (EVT-2). */
async function advance(ctx: CommandContext, locked: LockedEvent, name: StageName): Promise<void> {
  const { event } = locked;
  const next = stageAfter(name);
  if (next !== null) openStage(locked, next, ctx.now);
  switch (name) {
    case 'agreement':
      eventTransition(event, 'begin');
      break;
    case 'details':
      eventTransition(event, 'publish');
      event.publishedAt = ctx.now;
      await wakeDependents(ctx, event);
      break;
    case 'regulations':
      break;
    case 'results':
      eventTransition(event, 'complete');
      event.completedAt = ctx.now;
      await endNow(ctx, locked);
      break;
    default:
      assertNever(name);
  }
}

function isRepeat({ event, stages }: LockedEvent, name: StageName, decision: StageReview['decision'], note: string | null): boolean {
  const { status, reviewNote } = stages[name];
  switch (decision) {
    case 'approve':
      return status === 'approved';
    case 'changes':
      return status === 'changes' && reviewNote === note;
    case 'cancel':
      return event.status === 'cancelled' && reviewNote === note;
    default:
      return assertNever(decision);
  }
}

function decidedByContract({ stages }: LockedEvent): DomainError {
  const details = { status: stages.agreement.status, allowed: [] };
  return new DomainError('invalid_state', details, 'The agreement of this event is a contract; decide on the contract.');
}
