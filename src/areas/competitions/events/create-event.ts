import { checkAll, DomainError, fieldProblem, type FieldProblem, validationFailed } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { holdUnchanged, lockedAsNew } from '../../../platform/database/lock.ts';
import { dayMs } from '../../../platform/time/date-time.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { type CatalogService, findService } from '../../catalog/index.ts';
import { type Profile, ProfileEntity } from '../../profiles/index.ts';
import { type Event, EventEntity, type EventStage, EventStageEntity } from '../entities.ts';
import { requireOwnProfile } from '../policy.ts';
import { eventProcess } from './process.ts';
import { byName } from './queries.ts';
import { recordEventStep } from './record-event-step.ts';
import type { EventRecord } from './record.ts';
import { settleReminder } from './schedule.ts';
import { stageNames } from './states.ts';

/** The fields of an event that its organizer sets. */
export interface EventContent {
  serviceId: number;
  disciplineId: number;
  title: string;
  location: string;
  startsAt: Date;
  endsAt: Date;
  /** The reserve day; null for none. */
  reserveAt: Date | null;
}

export interface NewEvent extends EventContent {
  profileId: number;
}

/**
 * Creates a draft event for the caller's own approved organizer profile (EVT-1). Its `agreement` stage is open and waits for a contract.
 * @throws {DomainError} not_found for another account's profile; profile_not_approved; validation_failed
 */
export async function createEvent(ctx: CommandContext, { profileId, ...content }: NewEvent): Promise<EventRecord> {
  // The lock keeps the profile from being deleted before the event is written.
  const profile = requireOwnProfile(ctx.actor, await holdUnchanged(ctx.em, ProfileEntity, { id: profileId }));
  await checkAll(
    () => checkProfileKind(profile),
    () => checkFee(ctx.db, content),
    () => checkDates(content),
  );
  if (profile.status !== 'approved') throw new DomainError('profile_not_approved', { status: profile.status });
  const record = await insertEvent(ctx, { ownerId: profile.ownerId, profileId, ...content });
  await recordEventStep(ctx, record, 'created', { service_id: content.serviceId, discipline_id: content.disciplineId });
  await startProcess(ctx, eventProcess, record);
  return record;
}

async function insertEvent(ctx: CommandContext, given: NewEvent & { ownerId: number }) {
  const event = lockedAsNew<Event>(
    ctx.em.create(EventEntity, {
      ...given,
      status: 'draft',
      agreementFlow: 3,
      feeApplicationId: null,
      agreementTerms: null,
      agreementScanAt: null,
      publishedAt: null,
      completedAt: null,
      cancelledAt: null,
      cancelReason: null,
      dueAt: null,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    }),
  );
  await ctx.em.flush();
  const stages = stageNames.map((stage) =>
    lockedAsNew<EventStage>(
      ctx.em.create(EventStageEntity, {
        eventId: event.id,
        stage,
        status: stage === 'agreement' ? 'open' : 'locked',
        fileId: null,
        submittedAt: null,
        decidedAt: null,
        reviewNote: null,
        remindedAt: null,
        updatedAt: ctx.now,
      }),
    ),
  );
  const made = { id: event.id, event, stages: byName(stages), settings: null, fee: null };
  settleReminder(made, 'agreement', ctx.now);
  await ctx.em.flush();
  return made;
}

/** @throws {DomainError} validation_failed, unless the profile is of kind organizer (EVT-1) */
function checkProfileKind({ kind }: Readonly<Profile>): void {
  if (kind !== 'organizer') throw fieldProblem('body.profile_id', 'wrong_kind', 'must be a profile of the kind `organizer`');
}

/**
 * Checks that the service is an active event fee and covers the discipline.
 * @throws {DomainError} validation_failed
 */
export async function checkFee(
  db: Database,
  { serviceId, disciplineId }: Pick<EventContent, 'serviceId' | 'disciplineId'>,
): Promise<CatalogService> {
  const service = await findService(db, serviceId);
  if (service?.kind !== 'event_fee' || !service.isActive)
    throw fieldProblem('body.service_id', 'not_found', 'is not an active service of the kind `event_fee`');
  if (!service.disciplines.some(({ id }) => id === disciplineId))
    throw fieldProblem('body.discipline_id', 'not_found', 'is not a discipline of this service');
  return service;
}

/** Milliseconds. Eligibility is judged for each day, so the number of days is bounded. */
const longestMs = 366 * dayMs;
const firstYear = 2000;
const lastYear = 2099;

/** Checks the order and the span of an event's dates (EVT-15). @throws {DomainError} validation_failed */
export function checkDates({ startsAt, endsAt, reserveAt }: Pick<EventContent, 'startsAt' | 'endsAt' | 'reserveAt'>): void {
  const problems: FieldProblem[] = [];
  const wrong = (field: string, message: string) => problems.push({ path: `body.${field}`, code: 'out_of_range', message });
  const year = startsAt.getUTCFullYear();
  if (year < firstYear || year > lastYear) wrong('starts_at', `must be between ${firstYear} and ${lastYear}`);
  if (endsAt < startsAt) wrong('ends_at', 'must not be before starts_at');
  else if (endsAt.getTime() - startsAt.getTime() > longestMs) wrong('ends_at', 'must be within 366 days of starts_at');
  if (reserveAt !== null && reserveAt < endsAt) wrong('reserve_at', 'must not be before ends_at');
  else if (reserveAt !== null && reserveAt.getTime() - endsAt.getTime() > longestMs)
    wrong('reserve_at', 'must be within 366 days of ends_at');
  if (problems.length > 0) throw validationFailed(problems);
}
