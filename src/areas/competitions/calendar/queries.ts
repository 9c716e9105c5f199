import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { countUpTo } from '../../../platform/database/bounded-queries.ts';
import { type Database, customPlan } from '../../../platform/database/database.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import type { CatalogDiscipline } from '../../catalog/index.ts';
import type { FileMime } from '../../files/index.ts';
import { eventDependents, type PlaceCount } from '../events/dependents.ts';
import { type ClassPlaces, presentPlaces } from '../events/settings.ts';
import type { EventStatus } from '../events/states.ts';
import { type PublicResult, publicResults } from '../participants/queries.ts';

/** Filter of calendar events; an absent field does not restrict. */
export interface CalendarFilter {
  /** Starts at or after. */
  startsFrom?: Date | undefined;
  /** Starts before. */
  startsBefore?: Date | undefined;
  /** Ends at or after: runs then, or starts later. */
  endsFrom?: Date | undefined;
  /** Ends before. */
  endsBefore?: Date | undefined;
  disciplineId?: number | undefined;
  /** Word prefixes of title, location or organizer; all must match, in any order. */
  phrase?: string | undefined;
}

/** Public statuses of an event that was published. Cancelled ones stay, so that visitors learn of the cancellation (EVT-11). */
export const publicStatuses = ['published', 'completed', 'cancelled'] as const satisfies readonly EventStatus[];
export type PublicStatus = (typeof publicStatuses)[number];

export type CalendarEvent = Awaited<ReturnType<ReturnType<typeof selectEvents>['execute']>>[number];

/** An event on its own page, with its stages and its approved documents (EVT-10); `publicResults` reads its results. */
export type PublicEvent = NonNullable<Awaited<ReturnType<typeof findPublicEvent>>>;

/** The count stops here. */
export const mostCounted = 1_000;

export type CalendarOrder = 'asc' | 'desc';

/**
 * Returns a page of the calendar by start, and the total (EVT-11).
 *
 * Uses `calendar_entries_index`, with a discipline `calendar_entries_discipline_index`, for rare words `calendar_entries_words_index`.
 * The count stops at `mostCounted`.
 *
 * @returns `isTotalCapped`: more events match than `total`
 */
export async function listCalendar(
  db: Database,
  filter: CalendarFilter,
  { page, limit, order = 'asc' }: { page: number; limit: number; order?: CalendarOrder },
): Promise<{ events: CalendarEvent[]; total: number; isTotalCapped: boolean }> {
  const [events, counted] = await Promise.all([
    readCalendar(db, filter, { offset: (page - 1) * limit, limit, order }),
    countUpTo(db, inOrder(db, filter, 'asc', mostCounted + 1), mostCounted, { hasCustomPlan: filter.phrase !== undefined }),
  ]);
  return { events, ...counted };
}

/** Reads events of the calendar by start, without a count. */
export function readCalendar(
  db: Database,
  filter: CalendarFilter,
  { offset = 0, limit, order = 'asc' }: { offset?: number; limit: number; order?: CalendarOrder },
): Promise<CalendarEvent[]> {
  const shown = inOrder(db, filter, order, offset + limit)
    .select('c.eventId')
    .orderBy('c.startsAt', order)
    .orderBy('c.eventId', order)
    .limit(limit)
    .offset(offset);
  return (
    selectEvents(db)
      .innerJoin(shown.as('c'), 'c.eventId', 'e.id')
      .orderBy('e.startsAt', order)
      .orderBy('e.id', order)
      // A rare word needs the word index, a frequent one the calendar order.
      .$if(filter.phrase !== undefined, (events) => events.modifyEnd(customPlan))
      .execute()
  );
}

/**
 * Selects the first matching entries by start. The order makes the planner use an index; without it the limit may scan the whole table.
 * `endsFrom` reads two indexes: `calendar_entries_days_index` has the events that run then, the calendar order those that start later.
 */
function inOrder(db: Database, { endsFrom, ...filter }: CalendarFilter, order: CalendarOrder, most: number) {
  const first = (chosen: CalendarFilter) =>
    entries(db, chosen).select(['c.eventId', 'c.startsAt']).orderBy('c.startsAt', order).orderBy('c.eventId', order).limit(most);
  if (endsFrom === undefined) return db.selectFrom(first(filter).as('c'));
  const { startsFrom = endsFrom } = filter;
  const coming = first({ ...filter, startsFrom: startsFrom > endsFrom ? startsFrom : endsFrom });
  return (
    db
      // Read before it is sorted: with its order and limit, a plan for any values walks through all past events instead.
      .with(
        (running) => running('running').materialized(),
        () =>
          entries(db, filter)
            .where(sql<boolean>`tstzrange(c.starts_at, c.ends_at, '[]') @> ${endsFrom}::timestamptz`)
            .where('c.startsAt', '<', endsFrom)
            .select(['c.eventId', 'c.startsAt']),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom('running as r')
          .select(['r.eventId', 'r.startsAt'])
          .unionAll(eb.selectFrom(coming.as('f')).select(['f.eventId', 'f.startsAt']))
          .as('c'),
      )
  );
}

function entries(db: Database, { startsFrom, startsBefore, endsBefore, disciplineId, phrase }: Omit<CalendarFilter, 'endsFrom'>) {
  return db
    .selectFrom('calendar_entries as c')
    .where((eb) =>
      eb.and([
        ...(startsFrom === undefined ? [] : [eb('c.startsAt', '>=', startsFrom)]),
        ...(startsBefore === undefined ? [] : [eb('c.startsAt', '<', startsBefore)]),
        ...(endsBefore === undefined ? [] : [eb('c.endsAt', '<', endsBefore)]),
        ...(disciplineId === undefined ? [] : [eb('c.disciplineId', '=', disciplineId)]),
        ...(phrase === undefined ? [] : [sql<boolean>`c.words @@ calendar_query(${phrase})`]),
      ]),
    );
}

/** Selects public events. `organizerName` is the current name, like the calendar's words. */
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

/** Finds an event that was published, with its documents; null for any other (EVT-17). */
export async function findPublicEvent(db: Database, id: number) {
  const found = await selectEvents(db)
    .leftJoin('registration_settings as rs', 'rs.eventId', 'e.id')
    .where('e.id', '=', id)
    .select(['rs.classes', 'rs.classLimits'])
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

/** A public document in the storage. */
export interface PublicFile {
  storageKey: string;
  size: number;
  sha256: string;
  mime: FileMime;
  /** File name without its extension. */
  name: string;
}

/** Finds the file of an approved stage of a published event (EVT-17). */
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

/** Finds an approved additional document of a published event (EVT-10). */
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

export function listDisciplines(db: Database): Promise<CatalogDiscipline[]> {
  return db.selectFrom('disciplines').select(['id', 'code', 'title']).where('active', '=', true).orderBy('id').execute();
}

/** Reads an event that was published, with its results once they are approved (EVT-17) and its places (REG-20); null for any other event. */
export async function readPublicEvent(
  db: Database,
  extensions: Extensions,
  id: number,
): Promise<{ event: PublicEvent; results: PublicResult[]; places: ClassPlaces[] } | null> {
  const event = await findPublicEvent(db, id);
  if (!event) return null;
  const isDecided = event.stages.some(({ stage, status }) => stage === 'results' && status === 'approved');
  const { classes, classLimits } = event;
  const counts = new Map<string, PlaceCount>();
  if (classes !== null)
    for (const { countPlaces } of extensions.of(eventDependents))
      for (const [name, count] of (await countPlaces?.(db, id)) ?? []) counts.set(name, count);
  const places = classes === null || classLimits === null ? [] : presentPlaces({ classes, classLimits }, counts);
  return { event, results: isDecided ? await publicResults(db, id) : [], places };
}
