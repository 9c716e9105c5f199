import { DomainError } from '../../../errors.ts';
import type { Locked } from '../../../platform/database/lock.ts';

/** Where an event stands (decisions.md §6). `in_progress`: its agreement is approved; `published`: in the public calendar. */
export const eventStatuses = ['draft', 'in_progress', 'published', 'completed', 'cancelled'] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** Statuses in which an event lives: its process waits for somebody or for a date. */
export const livingStatuses = ['draft', 'in_progress', 'published'] as const satisfies readonly EventStatus[];

/** The stages of an event, in their order (service.md "Event"). Approval of one opens the next. */
export const stageNames = ['agreement', 'details', 'regulations', 'results'] as const;
export type StageName = (typeof stageNames)[number];

export const stageStatuses = ['locked', 'open', 'submitted', 'changes', 'approved'] as const;
export type StageStatus = (typeof stageStatuses)[number];

/**
 * What can happen to an event. `change`: its owner changes what it says · `begin`, `publish`, `complete`: its agreement, its details, its
 * results are approved · `fall_back`: its agreement is no longer in force; a publication stays · `withdraw`: its owner cancels it ·
 * `cancel`: an administrator does.
 */
export const eventActions = ['change', 'begin', 'fall_back', 'publish', 'complete', 'withdraw', 'cancel'] as const;
export type EventAction = (typeof eventActions)[number];

/** The only list of what is allowed (decisions.md §6). */
const eventTransitions: Record<EventStatus, Partial<Record<EventAction, EventStatus>>> = {
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
};

/** The status after an action, null where the status refuses it. */
export function nextEventStatus(status: EventStatus, action: EventAction): EventStatus | null {
  return eventTransitions[status][action] ?? null;
}

/**
 * Takes an event where an action leads.
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function eventTransition(event: Locked<{ status: EventStatus }>, action: EventAction, message?: string): void {
  event.status = requireEventAction(event, action, message);
}

/**
 * @returns the status after an action that the present one allows
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function requireEventAction({ status }: { status: EventStatus }, action: EventAction, message?: string): EventStatus {
  const next = nextEventStatus(status, action);
  const allowed = eventActions.filter((other) => nextEventStatus(status, other) !== null);
  if (next === null) throw new DomainError('invalid_state', { status, allowed }, message);
  return next;
}

/** Whether an event lives: it is neither over nor cancelled. */
export function isLiving(status: EventStatus): boolean {
  return livingStatuses.some((living) => living === status);
}

/**
 * What can happen to a stage. `open`: the one before it is approved · `attach`: its owner puts a file to it · `submit` · `approve`, `return`:
 * an administrator's `approve` and `changes` · `settle`, `reopen`: the contract of the event is confirmed, or is in force no more · `lock`:
 * the event is cancelled, and nothing is awaited any more.
 */
export const stageActions = ['open', 'attach', 'submit', 'approve', 'return', 'settle', 'reopen', 'lock'] as const;
export type StageAction = (typeof stageActions)[number];

const stageTransitions: Record<StageStatus, Partial<Record<StageAction, StageStatus>>> = {
  locked: { open: 'open', lock: 'locked' },
  open: { attach: 'open', submit: 'submitted', settle: 'approved', lock: 'locked' },
  submitted: { approve: 'approved', return: 'changes', lock: 'locked' },
  changes: { attach: 'changes', submit: 'submitted', lock: 'locked' },
  approved: { reopen: 'open' },
};

/** The status after an action, null where the status refuses it. */
export function nextStageStatus(status: StageStatus, action: StageAction): StageStatus | null {
  return stageTransitions[status][action] ?? null;
}

/**
 * @returns the status after an action that the present one allows
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function requireStageAction({ status }: { status: StageStatus }, action: StageAction): StageStatus {
  const next = nextStageStatus(status, action);
  const allowed = stageActions.filter((other) => nextStageStatus(status, other) !== null);
  if (next === null) throw new DomainError('invalid_state', { status, allowed });
  return next;
}

/**
 * Takes a stage where an action leads.
 * @throws {DomainError} invalid_state, with the status and what it allows
 */
export function stageTransition(stage: Locked<{ status: StageStatus }>, action: StageAction): void {
  stage.status = requireStageAction(stage, action);
}

/** The stage that approval of one opens; null behind the last. */
export function stageAfter(stage: StageName): StageName | null {
  return stageNames[stageNames.indexOf(stage) + 1] ?? null;
}

/** Where an event and its stages stand, as far as the order of the stages asks. */
export interface Standing {
  event: { status: EventStatus; endsAt: Date };
  stages: Record<StageName, { status: StageStatus }>;
}

/** Whether every stage before this one is approved; an agreement that is in force no more holds up all that come after it. */
export function isInTurn({ stages }: Pick<Standing, 'stages'>, stage: StageName): boolean {
  return stageNames.slice(0, stageNames.indexOf(stage)).every((before) => stages[before].status === 'approved');
}

/**
 * Whether the owner may hand a stage in now: its turn has come, it is in his hands, and results not before the event has ended
 * (decisions.md §6 "Wrong order").
 */
export function isStageOpen(record: Standing, stage: StageName, now: Date): boolean {
  if (!isLiving(record.event.status) || !isInTurn(record, stage)) return false;
  if (stage === 'results' && now < record.event.endsAt) return false;
  return nextStageStatus(record.stages[stage].status, 'submit') !== null;
}

/** @throws {DomainError} stage_not_open, with the stage and how it stands */
export function requireStageOpen(record: Standing, stage: StageName, now: Date): void {
  if (!isStageOpen(record, stage, now)) throw new DomainError('stage_not_open', { stage, status: record.stages[stage].status });
}

/** Whether the list of participants may be changed: from publication until the results are handed in, and again when they come back. */
export function areParticipantsOpen({ event, stages }: Pick<Standing, 'stages'> & { event: { status: EventStatus } }): boolean {
  return event.status === 'published' && stages.results.status !== 'submitted' && stages.results.status !== 'approved';
}

export const additionalDocumentKinds = ['bulletin', 'scheme', 'schedule', 'other'] as const;
export type AdditionalDocumentKind = (typeof additionalDocumentKinds)[number];

export const additionalDocumentStatuses = ['pending', 'approved', 'changes', 'cancelled'] as const;
export type AdditionalDocumentStatus = (typeof additionalDocumentStatuses)[number];

/** How a participant came through the competition (decisions.md §6 "Participants"). */
export const resultStatuses = ['registered', 'started', 'finished', 'dnf', 'dns', 'dsq'] as const;
export type ResultStatus = (typeof resultStatuses)[number];
