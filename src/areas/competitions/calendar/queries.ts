import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { type Database, plannedEachTime } from '../../../platform/database/database.ts';
import type { CatalogDiscipline } from '../../catalog/index.ts';
import type { FileMime } from '../../files/index.ts';
import type { AdditionalDocument, EventStage } from '../entities.ts';
import { type PublicStatus, publicStatuses } from './public-event.ts';

/** Which events of the calendar are sought; what is left out restricts nothing. */
export interface CalendarFilter {
  /** Those that start then or later. */
  startsFrom?: Date | undefined;
  /** Those that start before it. */
  startsBefore?: Date | undefined;
  /** Those that end then or later. */
  endsFrom?: Date | undefined;
  /** Those that end before it. */
  endsBefore?: Date | undefined;
  disciplineId?: number | undefined;
  /** Beginnings of words of title, location or organizer, all of them, in any order. */
  phrase?: string | undefined;
}

/** An event as the calendar shows it. */
export interface CalendarEvent {
  id: number;
  title: string;
  location: string;
  startsAt: Date;
  endsAt: Date;
  reserveAt: Date | null;
  status: PublicStatus;
  publishedAt: Date;
  updatedAt: Date;
  /** The name of the organization. */
  organizerName: string;
  discipline: CatalogDiscipline;
}

/** An event as its own page shows it; the results are read apart (`publicResults`). */
export interface PublicEvent extends CalendarEvent {
  stages: { stage: 'regulations' | 'results'; status: EventStage['status']; available: boolean }[];
  /** The approved ones, in the order in which they were added. */
  additional: Pick<AdditionalDocument, 'id' | 'title' | 'kind'>[];
}

/** Events are counted exactly up to here. */
export const mostCounted = 1_000;

export type CalendarOrder = 'asc' | 'desc';

/**
 * A page of the calendar by the start of events, and how many match. A page reads what it shows and what stands before it, by
 * `calendar_entries_index`, with a discipline by `calendar_entries_discipline_index`; rare words are found by
 * `calendar_entries_words_index`. The count stops behind `mostCounted`.
 * @returns `isTotalCapped`: there are more than `total`
 */
export async function listCalendar(
  db: Database,
  filter: CalendarFilter,
  { page, limit, order = 'asc' }: { page: number; limit: number; order?: CalendarOrder },
): Promise<{ events: CalendarEvent[]; total: number; isTotalCapped: boolean }> {
  const counted = entries(db, filter)
    .select(sql.lit(1).as('one'))
    // In this order it keeps to an index, where any thousand might be sought through the whole table.
    .orderBy('c.startsAt')
    .orderBy('c.eventId')
    .limit(sql.lit(mostCounted + 1));
  const [events, { total }] = await Promise.all([
    readCalendar(db, filter, { offset: (page - 1) * limit, limit, order }),
    forItsValues(
      db.selectFrom(counted.as('c')).select((eb) => eb.fn.countAll<number>().as('total')),
      filter,
    ).executeTakeFirstOrThrow(),
  ]);
  return { events, total: Math.min(total, mostCounted), isTotalCapped: total > mostCounted };
}

/** Some events of the calendar by their start, without counting them. */
export function readCalendar(
  db: Database,
  filter: CalendarFilter,
  { offset = 0, limit, order = 'asc' }: { offset?: number; limit: number; order?: CalendarOrder },
): Promise<CalendarEvent[]> {
  const shown = entries(db, filter)
    .select('c.eventId')
    .orderBy('c.startsAt', order)
    .orderBy('c.eventId', order)
    .limit(limit)
    .offset(offset);
  return forItsValues(
    selectEvents(db).innerJoin(shown.as('c'), 'c.eventId', 'e.id').orderBy('e.startsAt', order).orderBy('e.id', order),
    filter,
  ).execute();
}

function entries(db: Database, { startsFrom, startsBefore, endsFrom, endsBefore, disciplineId, phrase }: CalendarFilter) {
  return db
    .selectFrom('calendar_entries as c')
    .where((eb) =>
      eb.and([
        ...(startsFrom === undefined ? [] : [eb('c.startsAt', '>=', startsFrom)]),
        ...(startsBefore === undefined ? [] : [eb('c.startsAt', '<', startsBefore)]),
        ...(endsFrom === undefined ? [] : [eb('c.endsAt', '>=', endsFrom)]),
        ...(endsBefore === undefined ? [] : [eb('c.endsAt', '<', endsBefore)]),
        ...(disciplineId === undefined ? [] : [eb('c.disciplineId', '=', disciplineId)]),
        ...(phrase === undefined ? [] : [sql<boolean>`c.words @@ calendar_query(${phrase})`]),
      ]),
    );
}

/** A rare word is best sought by its index, one that stands everywhere in the order of the calendar: that is seen by the word alone. */
function forItsValues<Query extends { modifyEnd(modifier: typeof plannedEachTime): Query }>(
  query: Query,
  { phrase }: CalendarFilter,
): Query {
  return phrase === undefined ? query : query.modifyEnd(plannedEachTime);
}

/** Events that have a place in the calendar. `organizerName` is as it is now, as the words of the calendar are. */
function selectEvents(db: Database) {
  return db
    .selectFrom('events as e')
    .innerJoin('profiles as p', 'p.id', 'e.profileId')
    .innerJoin('disciplines as d', 'd.id', 'e.disciplineId')
    .where('e.publishedAt', 'is not', null)
    .where('e.status', 'in', publicStatuses)
    .select(['e.id', 'e.title', 'e.location', 'e.startsAt', 'e.endsAt', 'e.reserveAt', 'e.updatedAt', 'p.name as organizerName'])
    .select((eb) => [
      eb.ref('e.status').$castTo<PublicStatus>().as('status'),
      eb.ref('e.publishedAt').$notNull().as('publishedAt'),
      sql<CatalogDiscipline>`json_build_object('id', d.id, 'code', d.code, 'title', d.title)`.as('discipline'),
    ]);
}

/** An event that was published, with its documents; null for any other, as if there were none. */
export async function findPublicEvent(db: Database, id: number): Promise<PublicEvent | null> {
  const found = await selectEvents(db)
    .where('e.id', '=', id)
    .select((eb) => [
      jsonArrayFrom(
        eb
          .selectFrom('event_stages as s')
          .leftJoin('files as f', (join) => join.onRef('f.id', '=', 's.fileId').on('f.deletedAt', 'is', null))
          .whereRef('s.eventId', '=', 'e.id')
          .where('s.stage', 'in', ['regulations', 'results'])
          .select((stage) => [
            stage.ref('s.stage').$castTo<'regulations' | 'results'>().as('stage'),
            's.status',
            stage('f.id', 'is not', null).$castTo<boolean>().as('available'),
          ]),
      ).as('stages'),
      jsonArrayFrom(
        eb
          .selectFrom('additional_documents as ad')
          .innerJoin('files as f', 'f.id', 'ad.fileId')
          .whereRef('ad.eventId', '=', 'e.id')
          .where('ad.status', '=', 'approved')
          .where('f.deletedAt', 'is', null)
          .select(['ad.id', 'ad.title', 'ad.kind'])
          .orderBy('ad.id'),
      ).as('additional'),
    ])
    .executeTakeFirst();
  return found ?? null;
}

/** A document that anybody may open: where its bytes lie. */
export interface PublicFile {
  storageKey: string;
  size: number;
  sha256: string;
  mime: FileMime;
  /** What it is kept as, without its extension. */
  name: string;
}

/** The file of an approved stage of a published event; null in every other case. */
export async function findStageFile(db: Database, eventId: number, stage: 'regulations' | 'results'): Promise<PublicFile | null> {
  const found = await publishedEvents(db, eventId)
    .innerJoin('event_stages as s', 's.eventId', 'e.id')
    .innerJoin('files as f', 'f.id', 's.fileId')
    .where('s.stage', '=', stage)
    .where('s.status', '=', 'approved')
    .where('f.deletedAt', 'is', null)
    .select(['f.storageKey', 'f.size', 'f.sha256', 'f.mime'])
    .executeTakeFirst();
  return found ? { ...found, name: `${stage}-${eventId}` } : null;
}

/** An approved additional document of a published event; null in every other case. */
export async function findAdditionalFile(db: Database, eventId: number, documentId: number): Promise<PublicFile | null> {
  const found = await publishedEvents(db, eventId)
    .innerJoin('additional_documents as ad', 'ad.eventId', 'e.id')
    .innerJoin('files as f', 'f.id', 'ad.fileId')
    .where('ad.id', '=', documentId)
    .where('ad.status', '=', 'approved')
    .where('f.deletedAt', 'is', null)
    .select(['f.storageKey', 'f.size', 'f.sha256', 'f.mime', 'ad.title as name'])
    .executeTakeFirst();
  return found ?? null;
}

function publishedEvents(db: Database, id: number) {
  return db.selectFrom('events as e').where('e.id', '=', id).where('e.publishedAt', 'is not', null).where('e.status', 'in', publicStatuses);
}

/** The disciplines that one may look for. */
export function listDisciplines(db: Database): Promise<CatalogDiscipline[]> {
  return db.selectFrom('disciplines').select(['id', 'code', 'title']).where('active', '=', true).orderBy('id').execute();
}
