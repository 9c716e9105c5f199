import { checkAll, DomainError, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { lockOwnFile, type StoredFile } from '../../files/index.ts';
import type { Event } from '../entities.ts';
import { requireEventOwner } from '../policy.ts';
import { checkDates, checkFee, type EventContent } from './create-event.ts';
import { type LockedEvent, lockEvent } from './queries.ts';
import { recordEventStep } from './record-event-step.ts';
import type { EventRecord } from './record.ts';
import { settleReminder } from './schedule.ts';
import { requireEventAction, requireStageOpen, type StageName, stageNames, stageTransition } from './states.ts';

export type FiledStage = Exclude<StageName, 'details'>;

/** The content of a PATCH. An absent field stays as it is; a null reserve day removes it. */
export interface EventChange {
  content?: { [Name in keyof EventContent]?: EventContent[Name] | undefined };
  file?: { stage: FiledStage; fileId: string };
}

/**
 * Changes the fields of an event, or attaches a file to a stage.
 *
 * After publication only title, location and reserve day change (EVT-5); under review no field changes (EVT-16). In the earlier flow
 * attaching the scan of the agreement also submits it (EVT-18). Equal values, also the file of the stage, change nothing.
 *
 * @throws {DomainError} not_found; invalid_state; stage_not_open; event_published; validation_failed
 */
export async function updateEvent(ctx: CommandContext, id: number, { content = {}, file }: EventChange): Promise<EventRecord> {
  const locked = await lockEvent(ctx, id);
  const { event } = locked;
  requireEventOwner(ctx.actor, event);
  requireEventAction(event, 'change');
  if (file !== undefined) requireFileTaken(ctx, locked, file.stage);
  const changed = changedFields(event, content);
  requireChangeable(locked, changed);
  const changes: Partial<EventContent> = Object.fromEntries(changed.map((name) => [name, content[name]]));
  const [, , stored] = await checkAll(
    () => (changed.some(isDate) ? checkDates({ ...event, ...changes }) : null),
    () => (changed.some(isOfFee) ? checkFee(ctx.db, { ...event, ...changes }) : null),
    () => (file === undefined ? null : lockOwnFile(ctx, file.fileId, event.ownerId, ['application/pdf'], `body.files.${file.stage}`)),
  );
  if (changed.length > 0) {
    Object.assign(event, changes);
    if (changed.some(isDate)) for (const name of stageNames) settleReminder(locked, name, ctx.now);
    await recordEventStep(ctx, locked, 'updated', { changed });
  }
  const attached = file !== undefined && stored !== null && locked.stages[file.stage].fileId !== stored.id;
  if (attached) await attachFile(ctx, locked, file.stage, stored);
  if (changed.length > 0 || attached) event.updatedAt = ctx.now;
  return locked;
}

/**
 * Checks the order of the stages before the content (EVT-2).
 * @throws {DomainError} validation_failed, for a scan when the agreement is a contract (EVT-18); stage_not_open
 */
function requireFileTaken(ctx: CommandContext, locked: LockedEvent, stage: FiledStage): void {
  if (stage === 'agreement' && locked.event.agreementFlow === 3)
    throw fieldProblem(
      'body.files.agreement',
      'not_allowed',
      'is not allowed: the agreement of this event is a contract; create it with POST /contracts',
    );
  requireStageOpen(locked, stage, ctx.now);
}

async function attachFile(ctx: CommandContext, locked: LockedEvent, name: FiledStage, { id, sha256 }: Readonly<StoredFile>): Promise<void> {
  const stage = locked.stages[name];
  stageTransition(stage, 'attach', ctx.now);
  stage.fileId = id;
  await recordEventStep(ctx, locked, 'file_attached', { stage: name, sha256 });
  if (name !== 'agreement') return;
  stageTransition(stage, 'submit', ctx.now);
  stage.submittedAt = ctx.now;
  stage.decidedAt = null;
  stage.reviewNote = null;
  await recordEventStep(ctx, locked, 'submitted', { stage: name, sha256 });
}

const fields = ['title', 'location', 'startsAt', 'endsAt', 'reserveAt', 'disciplineId', 'serviceId'] as const;
type Field = (typeof fields)[number];

const isDate = (field: Field) => field === 'startsAt' || field === 'endsAt' || field === 'reserveAt';
const isOfFee = (field: Field) => field === 'disciplineId' || field === 'serviceId';
/** Fields that are printed and paid for at publication, and fixed from then on (EVT-5). */
const isFixed = (field: Field) => field === 'startsAt' || field === 'endsAt' || isOfFee(field);

function changedFields(event: Readonly<Event>, content: NonNullable<EventChange['content']>): Field[] {
  return fields.filter((name) => content[name] !== undefined && comparable(content[name]) !== comparable(event[name]));
}

/** Compares whole seconds, as the API shows them: a value that the client sends back unchanged is not a change. */
function comparable(value: string | number | Date | null | undefined): string | number | null | undefined {
  return value instanceof Date ? formatDateTime(value) : value;
}

/** @throws {DomainError} event_published (EVT-5); invalid_state (EVT-16) */
function requireChangeable({ event, stages, fee }: LockedEvent, changed: readonly Field[]): void {
  if (event.status === 'published' && changed.some(isFixed)) throw new DomainError('event_published');
  if (changed.length > 0 && stages.details.status === 'submitted')
    throw new DomainError('invalid_state', { status: event.status, allowed: [] }, 'The details are under review.');
  if (fee !== null && changed.some(isOfFee))
    throw new DomainError(
      'invalid_state',
      { status: event.status, allowed: [] },
      'The fee application exists; the service and the discipline cannot change.',
    );
}
