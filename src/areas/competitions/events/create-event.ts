import { checkAll, DomainError, fieldProblem, type FieldProblem, validationFailed } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { holdUnchanged, lockedAsNew } from '../../../platform/database/lock.ts';
import { dayMs } from '../../../platform/date-time.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { type CatalogService, findService } from '../../catalog/index.ts';
import { type Profile, ProfileEntity } from '../../profiles/index.ts';
import { type Event, EventEntity, type EventStage, EventStageEntity } from '../entities.ts';
import { requireOwnProfile } from '../policy.ts';
import { eventProcess } from './process.ts';
import { byName } from './queries.ts';
import { recordEventStep } from './record-event-step.ts';
import type { EventRecord } from './record.ts';
import { stageNames } from './states.ts';

/** What an event says of itself. */
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
 * Opens an event of the caller's own approved organizer profile (service.md "POST /events", decisions.md §6): a draft with the stage of the
 * agreement open. Its agreement is a contract (version 3).
 * @returns the event
 * @throws {DomainError} not_found for another's profile; profile_not_approved; validation_failed
 */
export async function createEvent(ctx: CommandContext, { profileId, ...content }: NewEvent): Promise<EventRecord> {
  // Held until the end, so that the profile cannot be deleted meanwhile.
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
      }),
    ),
  );
  await ctx.em.flush();
  return { id: event.id, event, stages: byName(stages), settings: null, fee: null };
}

/** @throws {DomainError} validation_failed, for a profile that is no organizer's */
export function checkProfileKind({ kind }: Readonly<Profile>): void {
  if (kind !== 'organizer') throw fieldProblem('body.profile_id', 'wrong_kind', 'a competition is held by a profile of kind organizer');
}

/**
 * The service is a fee of competitions that is on sale, and is taken for the discipline.
 * @throws {DomainError} validation_failed
 */
export async function checkFee(
  db: Database,
  { serviceId, disciplineId }: Pick<EventContent, 'serviceId' | 'disciplineId'>,
): Promise<CatalogService> {
  const service = await findService(db, serviceId);
  if (service?.kind !== 'event_fee' || !service.isActive)
    throw fieldProblem('body.service_id', 'not_found', 'there is no such fee of competitions on sale');
  if (!service.disciplines.some(({ id }) => id === disciplineId))
    throw fieldProblem('body.discipline_id', 'not_found', 'this fee is not taken for that discipline');
  return service;
}

/** A competition is tested day by day (decisions.md §6 "Eligibility"), so it has an end in sight; milliseconds. */
const longestMs = 366 * dayMs;
const firstYear = 2000;
const lastYear = 2099;

/** @throws {DomainError} validation_failed, for an end before the start or a reserve day before the end */
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
