import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { type Database, inList } from '../../../platform/database/database.ts';
import { literals } from '../../../platform/database/literals.ts';
import type { Event, EventStage, RegistrationSettings } from '../entities.ts';
import type { EventFacts, EventFee, EventRecord } from './record.ts';
import { livingStatuses, type StageName, stageNames } from './states.ts';

/** The living statuses as a statement names them: written out, so that the partial index of living events serves it. */
export const living = literals(livingStatuses);

/** Inside JSON instants are text, in a form that Date reads. */
type InJson<Row, Instants extends keyof Row> = Omit<Row, Instants> & Record<Instants, string | null>;
type StageRow = InJson<EventStage, 'submittedAt' | 'decidedAt' | 'remindedAt'>;
type SettingsRow = InJson<Omit<RegistrationSettings, 'updatedAt'>, 'opensAt' | 'closesAt' | 'openedAt' | 'closedAt'> & {
  updatedAt: string;
};
interface FactsRow {
  settings: SettingsRow | null;
  fee: InJson<EventFee, 'paidAt'> | null;
}

/**
 * One row for each event with its settings and its fee: no list asks again for each row. The casts say what the types of JSON in SQL
 * cannot: that a joined row is there whole or not at all.
 */
function selectFacts(db: Database) {
  return db
    .selectFrom('events as e')
    .leftJoin('registration_settings as s', 's.eventId', 'e.id')
    .leftJoin('applications as f', 'f.id', 'e.feeApplicationId')
    .select((eb) => [
      eb
        .case()
        .when('s.eventId', 'is not', null)
        .then(
          jsonBuildObject({
            eventId: eb.ref('s.eventId'),
            opensAt: eb.ref('s.opensAt'),
            closesAt: eb.ref('s.closesAt'),
            classes: eb.ref('s.classes'),
            crew: eb.ref('s.crew'),
            vehicleFields: eb.ref('s.vehicleFields'),
            columns: eb.ref('s.columns'),
            openedAt: eb.ref('s.openedAt'),
            closedAt: eb.ref('s.closedAt'),
            updatedAt: eb.ref('s.updatedAt'),
          }),
        )
        .end()
        .$castTo<FactsRow['settings']>()
        .as('settings'),
      eb
        .case()
        .when('f.id', 'is not', null)
        .then(
          jsonBuildObject({
            id: eb.ref('f.id'),
            status: eb.ref('f.status'),
            paid: eb.or([eb('f.paid', '=', true), eb('f.amountMinor', '=', 0)]),
            paidAt: eb.ref('f.paidAt'),
          }),
        )
        .end()
        .$castTo<FactsRow['fee']>()
        .as('fee'),
    ]);
}

function selectEvents(db: Database) {
  return selectFacts(db)
    .selectAll('e')
    .select((eb) =>
      eb
        .selectFrom('event_stages as g')
        .whereRef('g.eventId', '=', 'e.id')
        .select((stage) => {
          const row = jsonBuildObject({
            eventId: stage.ref('g.eventId'),
            stage: stage.ref('g.stage'),
            status: stage.ref('g.status'),
            fileId: stage.ref('g.fileId'),
            submittedAt: stage.ref('g.submittedAt'),
            decidedAt: stage.ref('g.decidedAt'),
            reviewNote: stage.ref('g.reviewNote'),
            remindedAt: stage.ref('g.remindedAt'),
          });
          return sql<StageRow[]>`coalesce(json_agg(${row}), '[]')`.as('stages');
        })
        .$asScalar()
        .$notNull()
        .as('stages'),
    );
}

/** Settings and fee of one event; null when there is no such event. */
export async function findFacts(db: Database, id: number): Promise<EventFacts | null> {
  const row = await selectFacts(db).where('e.id', '=', id).executeTakeFirst();
  return row ? toFacts(row) : null;
}

/** One event with all that belongs to it, null when there is none. Changes of the open transaction must be flushed before. */
export async function findEvent(db: Database, id: number): Promise<EventRecord | null> {
  const row = await selectEvents(db).where('e.id', '=', id).executeTakeFirst();
  return row ? toRecord(row) : null;
}

/** These events with all that belongs to them, in the order of their ids. */
export async function findEvents(db: Database, ids: readonly number[]): Promise<EventRecord[]> {
  if (ids.length === 0) return [];
  const rows = await selectEvents(db).where('e.id', '=', inList(ids)).orderBy('e.id').execute();
  return rows.map(toRecord);
}

/** All events of a person, newest first. Uses events_owner_index. */
export async function listOwnEvents(db: Database, ownerId: number): Promise<EventRecord[]> {
  const rows = await selectEvents(db).where('e.ownerId', '=', ownerId).orderBy('e.id', 'desc').execute();
  return rows.map(toRecord);
}

/** The row of an event alone, null when there is none. */
export async function findEventRow(db: Database, id: number): Promise<Readonly<Event> | null> {
  return (await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** How many took part, as the list of participants has it. */
export async function countParticipants(db: Database, eventId: number): Promise<number> {
  const { count } = await db
    .selectFrom('participants')
    .where('eventId', '=', eventId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The SHA-256 of a file that is kept because a record names it. */
export async function findFileHash(db: Database, fileId: string): Promise<string> {
  const { sha256 } = await db.selectFrom('files').select('sha256').where('id', '=', fileId).executeTakeFirstOrThrow();
  return sha256;
}

function toRecord({ settings, fee, stages, ...event }: FactsRow & Event & { stages: StageRow[] }): EventRecord {
  return { id: event.id, event, stages: byName(stages.map(toStage)), ...toFacts({ settings, fee }) };
}

function toFacts({ settings, fee }: FactsRow): EventFacts {
  return { settings: settings && toSettings(settings), fee: fee && { ...fee, paidAt: instant(fee.paidAt) } };
}

/** The stages of one event by their names; every event has one row for each. */
export function byName<Row extends { stage: StageName }>(rows: readonly Row[]): Record<StageName, Row> {
  const named = (name: StageName): Row => {
    const row = rows.find(({ stage }) => stage === name);
    if (row === undefined) throw new Error(`an event is without its stage ${name}`);
    return row;
  };
  const [agreement, details, regulations, results] = stageNames;
  return { agreement: named(agreement), details: named(details), regulations: named(regulations), results: named(results) };
}

function toStage(row: StageRow): EventStage {
  return { ...row, submittedAt: instant(row.submittedAt), decidedAt: instant(row.decidedAt), remindedAt: instant(row.remindedAt) };
}

function toSettings(row: SettingsRow): RegistrationSettings {
  return {
    ...row,
    opensAt: instant(row.opensAt),
    closesAt: instant(row.closesAt),
    openedAt: instant(row.openedAt),
    closedAt: instant(row.closedAt),
    updatedAt: new Date(row.updatedAt),
  };
}

function instant(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
