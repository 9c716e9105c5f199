import { DomainError } from '../../../errors.ts';
import { type CommandContext, isOwnAct } from '../../../platform/commands/context.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { processRef } from '../../../platform/workflows/process-ref.ts';
import { notify } from '../../notifications/index.ts';
import { type AgreementTerms, type Event, EventEntity } from '../entities.ts';
import { eventNotifications } from './notifications.ts';
import { type LockedEvent, lockEvent } from './queries.ts';
import { recordEventStep } from './record-event-step.ts';
import { settleReminder } from './schedule.ts';
import { eventTransition, isLiving, nextStageStatus, type StageName, stageTransition } from './states.ts';

/** Fields of an event that its contract repeats. */
export const agreementFields = ['title', 'location', 'starts_at', 'ends_at', 'discipline_id'] as const;
export type AgreementField = (typeof agreementFields)[number];

interface Compared {
  title: string;
  location: string;
  startsAt: Date;
  endsAt: Date;
  disciplineId: number;
  /** Null without a live contract. */
  agreementTerms: AgreementTerms | null;
}

/** Returns the fields in which an event differs from its contract (EVT-6); none without a contract. */
export function differencesFromAgreement({ agreementTerms: terms, ...event }: Compared): AgreementField[] {
  if (terms === null) return [];
  const differs: Record<AgreementField, boolean> = {
    title: event.title !== terms.title,
    location: event.location !== terms.location,
    starts_at: isOtherSecond(event.startsAt, terms.startsAt),
    ends_at: isOtherSecond(event.endsAt, terms.endsAt),
    discipline_id: terms.disciplineId !== null && event.disciplineId !== terms.disciplineId,
  };
  return agreementFields.filter((field) => differs[field]);
}

/** Compares whole seconds, as the API shows them: a value that the client sends back unchanged is not a difference. */
function isOtherSecond(at: Date, copied: string): boolean {
  return formatDateTime(at) !== formatDateTime(new Date(copied));
}

/**
 * Locks the event's row for a change of its contract. Lock order: contract, then event.
 * @throws {DomainError} not_found
 */
export async function lockEventRow(ctx: CommandContext, id: number): Promise<Locked<Event>> {
  const event = await lockForChange(ctx.em, EventEntity, { id });
  if (!event) throw new DomainError('not_found');
  return event;
}

/** @throws {DomainError} event_over, for a cancelled or completed event */
export function requireNotOver({ status }: Pick<Event, 'status'>): void {
  if (!isLiving(status)) throw new DomainError('event_over', { event_status: status });
}

/**
 * Stores the state of the contract in its event (EVT-6, EVT-8).
 *
 * Wakes the event's process when the agreement passes between organizer and federation, because the stage then waits for the other side.
 * @param contract null without a live contract. `scanSentAt`: when the scan was sent that waits for the federation; null without one
 */
export function recordContract(
  ctx: CommandContext,
  event: Locked<Event>,
  contract: { terms: AgreementTerms; scanSentAt: Date | null } | null,
): void {
  const scanSentAt = contract?.scanSentAt ?? null;
  const isHandedOver = (event.agreementScanAt === null) !== (scanSentAt === null);
  event.agreementTerms = contract?.terms ?? null;
  event.agreementScanAt = scanSentAt;
  event.updatedAt = ctx.now;
  if (isHandedOver) ctx.wake(processRef('event', event.id));
}

/** Opens a locked stage after approval of the previous one (EVT-2). A stage that was open before stays as it is. */
export function openStage(locked: Pick<LockedEvent, 'event' | 'stages'>, name: StageName, now: Date): void {
  const stage = locked.stages[name];
  if (stage.status !== 'locked') return;
  stageTransition(stage, 'open', now);
  settleReminder(locked, name, now);
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
  stageTransition(agreement, action, ctx.now);
  eventTransition(event, isConfirmed ? 'begin' : 'fall_back');
  agreement.decidedAt = isConfirmed ? ctx.now : null;
  agreement.submittedAt = isConfirmed ? ctx.now : null;
  if (isConfirmed) openStage(locked, 'details', ctx.now);
  else settleReminder(locked, 'agreement', ctx.now);
  event.updatedAt = ctx.now;
  await recordEventStep(ctx, locked, isConfirmed ? 'agreement_confirmed' : 'agreement_reopened', { stage: 'agreement' });
  const kind = isConfirmed ? 'event_stage.approved' : 'event_stage.reopened';
  const subject = { kind: 'event', id: eventId };
  // The organizer who ends the contract knows of it. Details of a publication that stays are not submitted again.
  const next = isConfirmed && stages.details.status !== 'open' ? { next: 'none' } : {};
  if (!isOwnAct(ctx.actor, event.ownerId))
    await notify(ctx, event.ownerId, eventNotifications[kind], subject, { stage: 'agreement', title: event.title, ...next });
}
