import { DomainError } from '../../../errors.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { defineTransitions } from '../../../platform/commands/transitions.ts';

/** Statuses of an event. `in_progress`: its agreement is approved; `published`: in the public calendar. */
export const eventStatuses = ['draft', 'in_progress', 'published', 'completed', 'cancelled'] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** Statuses of an event whose process runs. */
export const livingStatuses = ['draft', 'in_progress', 'published'] as const satisfies readonly EventStatus[];

/** The stages of an event in their order. Approval of one opens the next (EVT-2). */
export const stageNames = ['agreement', 'details', 'regulations', 'results'] as const;
export type StageName = (typeof stageNames)[number];

export const stageStatuses = ['locked', 'open', 'submitted', 'changes', 'approved'] as const;
export type StageStatus = (typeof stageStatuses)[number];

/**
 * Actions on an event. `change`: the owner changes a field · `begin`, `publish`, `complete`: agreement, details, results are approved ·
 * `fall_back`: the agreement is no longer in force; a publication stays · `withdraw`: the owner cancels · `cancel`: an administrator
 * cancels.
 */
export const eventActions = ['change', 'begin', 'fall_back', 'publish', 'complete', 'withdraw', 'cancel'] as const;
export type EventAction = (typeof eventActions)[number];

/** Allowed actions by status, with the next status (EVT-3, EVT-9). */
const eventTransitions = defineTransitions<EventStatus, EventAction>(eventActions, {
  draft: { change: 'draft', begin: 'in_progress', withdraw: 'cancelled', cancel: 'cancelled' },
  in_progress: {
    change: 'in_progress',
    begin: 'in_progress',
    fall_back: 'draft',
    publish: 'published',
    withdraw: 'cancelled',
    cancel: 'cancelled',
  },
  published: { change: 'published', begin: 'published', fall_back: 'published', complete: 'completed', cancel: 'cancelled' },
  completed: { cancel: 'cancelled' },
  cancelled: {},
});
export const { next: nextEventStatus, require: requireEventAction, apply: eventTransition } = eventTransitions;

/** Whether an event is neither completed nor cancelled. */
export function isLiving(status: EventStatus): boolean {
  return livingStatuses.some((living) => living === status);
}

/**
 * Actions on a stage. `open`: the previous stage is approved · `attach`: the owner attaches a file · `submit` · `approve`, `return`: an
 * administrator's `approve` and `changes` · `settle`, `reopen`: the contract is confirmed, or is no longer in force · `lock`: the event
 * is cancelled.
 */
export const stageActions = ['open', 'attach', 'submit', 'approve', 'return', 'settle', 'reopen', 'lock'] as const;
export type StageAction = (typeof stageActions)[number];

const stageTransitions = defineTransitions<StageStatus, StageAction>(stageActions, {
  locked: { open: 'open', lock: 'locked' },
  open: { attach: 'open', submit: 'submitted', settle: 'approved', lock: 'locked' },
  submitted: { approve: 'approved', return: 'changes', lock: 'locked' },
  changes: { attach: 'changes', submit: 'submitted', lock: 'locked' },
  approved: { reopen: 'open' },
});
export const { next: nextStageStatus, require: requireStageAction } = stageTransitions;

/** Applies an action to a stage, whose version grows (REV-5). @throws {DomainError} invalid_state */
export function stageTransition(stage: Locked<{ status: StageStatus; updatedAt: Date }>, action: StageAction, now: Date): void {
  stageTransitions.apply(stage, action);
  stage.updatedAt = now;
}

/** Returns the stage that approval of this one opens; null after the last. */
export function stageAfter(stage: StageName): StageName | null {
  return stageNames[stageNames.indexOf(stage) + 1] ?? null;
}

/** The facts of an event that the order of its stages needs. */
export interface Standing {
  event: { status: EventStatus; endsAt: Date };
  stages: Record<StageName, { status: StageStatus }>;
}

/** Whether every earlier stage is approved (EVT-2). A reopened agreement blocks all later stages (EVT-3). */
export function isInTurn({ stages }: Pick<Standing, 'stages'>, stage: StageName): boolean {
  return stageNames.slice(0, stageNames.indexOf(stage)).every((before) => stages[before].status === 'approved');
}

/**
 * Whether the owner may submit a stage now: all earlier stages are approved (EVT-2), its status allows it, and results wait for the
 * event's end (EVT-7).
 */
export function isStageOpen(record: Standing, stage: StageName, now: Date): boolean {
  if (!isLiving(record.event.status) || !isInTurn(record, stage)) return false;
  if (stage === 'results' && now < record.event.endsAt) return false;
  return nextStageStatus(record.stages[stage].status, 'submit') !== null;
}

/** @throws {DomainError} stage_not_open, with the stage and its status */
export function requireStageOpen(record: Standing, stage: StageName, now: Date): void {
  if (!isStageOpen(record, stage, now)) throw new DomainError('stage_not_open', { stage, status: record.stages[stage].status });
}

/** Whether the list of participants may change: from publication until results are submitted, and again when they are returned (EVT-7). */
export function areParticipantsOpen({ event, stages }: Pick<Standing, 'stages'> & { event: { status: EventStatus } }): boolean {
  return event.status === 'published' && stages.results.status !== 'submitted' && stages.results.status !== 'approved';
}

export const additionalDocumentKinds = ['bulletin', 'scheme', 'schedule', 'other'] as const;
export type AdditionalDocumentKind = (typeof additionalDocumentKinds)[number];

export const additionalDocumentStatuses = ['pending', 'approved', 'changes', 'cancelled'] as const;
export type AdditionalDocumentStatus = (typeof additionalDocumentStatuses)[number];

/** Outcome of a participant. `dnf`: did not finish, `dns`: did not start, `dsq`: disqualified. */
export const resultStatuses = ['registered', 'started', 'finished', 'dnf', 'dns', 'dsq'] as const;
export type ResultStatus = (typeof resultStatuses)[number];
