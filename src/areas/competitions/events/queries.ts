import { jsonBuildObject } from 'kysely/helpers/postgres';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Database, inList, type Paging, readPage } from '../../../platform/database/database.ts';
import { literals } from '../../../platform/database/literals.ts';
import { type InJson, jsonOf, listOf, withInstants } from '../../../platform/database/json-rows.ts';
import { holdUnchanged, lockAllForChange, type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type Event, type EventStage, type RegistrationSettings, EventEntity, EventStageEntity } from '../entities.ts';
import { requireEventOwner } from '../policy.ts';
import type { EventFee, EventRecord } from './record.ts';
import { livingStatuses, type StageName, stageNames } from './states.ts';

/** The live statuses as SQL literals, so that the partial index of live events matches. */
export const living = literals(livingStatuses);

/**
 * Selects each event with its settings, fee and stages in one row, so lists avoid N+1 queries. The casts state that a joined row is
 * complete or absent, which the types of JSON in SQL cannot express.
 */
function selectEvents(db: Database) {
  return db
    .selectFrom('events as e')
    .leftJoin('registration_settings as s', 's.eventId', 'e.id')
    .leftJoin('applications as f', 'f.id', 'e.feeApplicationId')
    .select((eb) => [
      eb
        .case()
        .when('s.eventId', 'is not', null)
        .then(
          jsonOf(eb, 's', [
            'eventId',
            'opensAt',
            'closesAt',
            'classes',
            'classLimits',
            'crew',
            'vehicleFields',
            'columns',
            'openedAt',
            'closedAt',
            'submissionsToldAt',
            'hasUntoldSubmissions',
            'updatedAt',
          ]),
        )
        .end()
        .$castTo<InJson<RegistrationSettings> | null>()
        .as('settings'),
      eb
        .case()
        .when('f.id', 'is not', null)
        .then(
          jsonBuildObject({
            id: eb.ref('f.id'),
            status: eb.ref('f.status'),
            paid: eb.or([eb.and([eb('f.paid', '=', true), eb('f.refundTransactionId', 'is', null)]), eb('f.amountMinor', '=', 0)]),
            paidAt: eb.ref('f.paidAt'),
          }),
        )
        .end()
        .$castTo<InJson<EventFee> | null>()
        .as('fee'),
      eb
        .selectFrom('event_stages as g')
        .whereRef('g.eventId', '=', 'e.id')
        .select((stage) =>
          listOf(
            jsonOf(stage, 'g', [
              'eventId',
              'stage',
              'status',
              'fileId',
              'submittedAt',
              'decidedAt',
              'reviewNote',
              'remindedAt',
              'updatedAt',
            ]),
            'g.stage',
          ).as('stages'),
        )
        .$asScalar()
        .$notNull()
        .as('stages'),
    ])
    .selectAll('e');
}
type EventRow = Awaited<ReturnType<ReturnType<typeof selectEvents>['execute']>>[number];

/** Finds an event with its stages, settings and fee. Flush changes of the open transaction first. */
export async function findEvent(db: Database, id: number): Promise<EventRecord | null> {
  const row = await selectEvents(db).where('e.id', '=', id).executeTakeFirst();
  return row ? toRecord(row) : null;
}

/** Finds events with their stages, settings and fees, ordered by id. */
export async function findEvents(db: Database, ids: readonly number[]): Promise<EventRecord[]> {
  if (ids.length === 0) return [];
  const rows = await selectEvents(db).where('e.id', '=', inList(ids)).orderBy('e.id').execute();
  return rows.map(toRecord);
}

/** Lists a page of an account's events, newest first, with the number of all. Uses events_owner_index. */
export async function listOwnEvents(db: Database, ownerId: number, paging: Paging): Promise<{ records: EventRecord[]; total: number }> {
  const { rows, total } = await readPage(selectEvents(db).where('e.ownerId', '=', ownerId).orderBy('e.id', 'desc'), paging);
  return { records: rows.map(toRecord), total };
}

export async function findEventRow(db: Database, id: number): Promise<Readonly<Event> | null> {
  return (await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Reads the SHA-256 of a file; it exists as long as a record refers to it (EVT-19). */
export async function findFileHash(db: Database, fileId: string): Promise<string> {
  const { sha256 } = await db.selectFrom('files').select('sha256').where('id', '=', fileId).executeTakeFirstOrThrow();
  return sha256;
}

function toRecord({ settings, fee, stages, ...event }: EventRow): EventRecord {
  return {
    id: event.id,
    event,
    stages: byName(stages.map((row) => withInstants(row, ['submittedAt', 'decidedAt', 'remindedAt', 'updatedAt']))),
    settings: settings && withInstants(settings, ['opensAt', 'closesAt', 'openedAt', 'closedAt', 'submissionsToldAt', 'updatedAt']),
    fee: fee && withInstants(fee, ['paidAt']),
  };
}

/** Maps the stages of one event by name; every event has one row for each. */
export function byName<Row extends { stage: StageName }>(rows: readonly Row[]): Record<StageName, Row> {
  const named = (name: StageName): Row => {
    const row = rows.find(({ stage }) => stage === name);
    if (row === undefined) throw new Error(`an event has no row of its stage ${name}`);
    return row;
  };
  const [agreement, details, regulations, results] = stageNames;
  return { agreement: named(agreement), details: named(details), regulations: named(regulations), results: named(results) };
}

/**
 * Takes a shared lock on the caller's event, for a command that does not change it. Changes of stages and dates (`lockEvent`) wait until
 * the transaction ends; other shared locks do not.
 * @throws {DomainError} not_found, also for another account's event (API-3)
 */
export async function holdOwnEvent(ctx: CommandContext, eventId: number): Promise<EventRecord> {
  requireEventOwner(ctx.actor, await holdUnchanged(ctx.em, EventEntity, { id: eventId }));
  const record = await findEvent(ctx.db, eventId);
  if (record === null) throw new DomainError('not_found');
  return record;
}

/** A locked event: a command changes `event` and `stages` and reads the rest. */
export interface LockedEvent extends EventRecord {
  event: Locked<Event>;
  stages: Record<StageName, Locked<EventStage>>;
}

/**
 * Locks an event for a change, its row before its stages, and reads its settings and its fee.
 * @throws {DomainError} not_found
 */
export async function lockEvent(ctx: CommandContext, id: number): Promise<LockedEvent> {
  const event = await lockForChange(ctx.em, EventEntity, { id });
  if (!event) throw new DomainError('not_found');
  const stages = await lockAllForChange(ctx.em, EventStageEntity, { eventId: id }, { stage: 'asc' });
  const record = await findEvent(ctx.db, id);
  if (!record) throw new Error(`event ${id} was not found in its own transaction`);
  return { ...record, event, stages: byName(stages) };
}
