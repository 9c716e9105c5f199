import { type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database, Paging, Tables } from '../../platform/database/database.ts';
import type { AuditEvent } from './entities.ts';

/** `action`: the audit. `security`: security events (AUD-5). */
export const auditCategories = ['action', 'security'] as const;
type AuditCategory = (typeof auditCategories)[number];

export interface AuditFilter {
  actor_id?: number | undefined;
  action?: string | undefined;
  /** `document/12`, or `document` for all records of the kind. */
  subject?: string | undefined;
  /** Both categories when absent. */
  category?: AuditCategory | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  request_id?: string | undefined;
}

/** One event of either category; `id` is unique within its category. */
export interface ListedEvent extends AuditEvent {
  category: AuditCategory;
  /** `at` with the precision of the database, which a place in the list needs. */
  instant: string;
}

/** The place of an event in the list. */
export type EventPlace = Pick<ListedEvent, 'category' | 'id' | 'instant'>;

/** The total is exact up to this number (API-5). */
const mostCounted = 10_000;

/**
 * Lists a page of the events that a filter matches, newest first. Each filter has an index in this order, so that a page reads only its
 * rows and those of the pages before it. The count stops at `mostCounted`.
 * @returns `isTotalCapped`: more events match than `total`
 */
export async function listAuditEvents(
  db: Database,
  { page, limit, ...filter }: AuditFilter & Paging,
): Promise<{ items: ListedEvent[]; total: number; isTotalCapped: boolean }> {
  const offset = (page - 1) * limit;
  const [items, total] = await Promise.all([
    readEvents(db, filter, { after: null, offset, limit }),
    countAuditEvents(db, filter, mostCounted + 1),
  ]);
  return { items, total: Math.min(total, mostCounted), isTotalCapped: total > mostCounted };
}

/** Lists the next events after a place, newest first, in one statement; reads the same indexes. */
export function listAuditEventsAfter(
  db: Database,
  filter: AuditFilter,
  { after, limit }: { after: EventPlace | null; limit: number },
): Promise<ListedEvent[]> {
  return readEvents(db, filter, { after, offset: 0, limit });
}

/** Counts the events that a filter matches. @param most number at which the count of each category stops */
export async function countAuditEvents(db: Database, filter: AuditFilter, most: number): Promise<number> {
  const counted = chosenParts(filter).map((category) => selectors[category](db, filter).counted(most));
  const { total } = await db
    .selectFrom(unionOf<{ one: number }>(counted).as('e'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function readEvents(
  db: Database,
  filter: AuditFilter,
  { after, offset, limit }: { after: EventPlace | null; offset: number; limit: number },
): Promise<ListedEvent[]> {
  // Each category gives at most the rows that the page can need, so that neither is read as a whole.
  const shown = chosenParts(filter).map((category) => selectors[category](db, filter).shown(offset + limit, after));
  return db
    .selectFrom(unionOf<ListedEvent>(shown).as('e'))
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('category')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

function chosenParts(filter: AuditFilter): AuditCategory[] {
  return auditCategories.filter((category) => filter.category === undefined || filter.category === category);
}

function unionOf<Row>(parts: readonly RawBuilder<unknown>[]): RawBuilder<Row> {
  return sql<Row>`(${sql.join(parts, sql` union all `)})`;
}

/** Selects the rows of a category: those of a page, behind a place in the list, and those that are counted. */
interface Selected {
  shown(most: number, after: EventPlace | null): RawBuilder<unknown>;
  counted(most: number): RawBuilder<unknown>;
}

const selectors: Record<AuditCategory, (db: Database, filter: AuditFilter) => Selected> = {
  action: selectActions,
  security: selectSecurity,
};

function selectActions(db: Database, filter: AuditFilter): Selected {
  const matching = db.selectFrom('audit_events as e').where(matches(filter));
  const shown = matching
    .select([sql.lit<AuditCategory>('action').as('category'), 'e.id', 'e.action', 'e.actorId', 'e.impersonatedUserId'])
    .select(['e.subjectKind', 'e.subjectId', 'e.ip', 'e.requestId', 'e.at', instant, 'e.data'])
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc');
  return {
    shown: (most, after) => sql`(${shown.where(isAfter('action', after)).limit(most)})`,
    // Ordered like the page, so that the count uses the index; unordered it would scan the table.
    counted: (most) => sql`(${matching.select(sql.lit(1).as('one')).orderBy('e.at', 'desc').orderBy('e.id', 'desc').limit(sql.lit(most))})`,
  };
}

/** Selects security events like `selectActions`; `data` has the count of the row. */
function selectSecurity(db: Database, filter: AuditFilter): Selected {
  const matching = db.selectFrom('security_events as e').where(matches(filter));
  const shown = matching
    .select([sql.lit<AuditCategory>('security').as('category'), 'e.id', 'e.action', 'e.actorId', 'e.impersonatedUserId'])
    .select(['e.subjectKind', 'e.subjectId', 'e.ip', 'e.requestId', 'e.at', instant])
    .select(sql<Record<string, unknown>>`e.data || jsonb_build_object('count', e.count)`.as('data'))
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc');
  return {
    shown: (most, after) => sql`(${shown.where(isAfter('security', after)).limit(most)})`,
    counted: (most) => sql`(${matching.select(sql.lit(1).as('one')).orderBy('e.at', 'desc').orderBy('e.id', 'desc').limit(sql.lit(most))})`,
  };
}

const instant = sql<string>`e.at::text`.as('instant');

/** Whether a row of a category comes after a place: events of one instant are in the order of categories, then the newest first. */
function isAfter(category: AuditCategory, after: EventPlace | null): Expression<SqlBool> {
  if (after === null) return sql.lit(true);
  const at = sql`${after.instant}::timestamptz`;
  if (category === after.category) return sql<SqlBool>`(e.at, e.id) < (${at}, ${after.id})`;
  return category > after.category ? sql<SqlBool>`e.at <= ${at}` : sql<SqlBool>`e.at < ${at}`;
}

/** The filter columns of both categories. */
type Filtered = Pick<Tables['audit_events'], 'action' | 'actorId' | 'subjectKind' | 'subjectId' | 'requestId' | 'at'>;

function matches(filter: AuditFilter): Expression<SqlBool> {
  const eb = expressionBuilder<{ e: Filtered }, 'e'>();
  const [subjectKind, subjectId] = filter.subject?.split('/', 2) ?? [];
  return eb.and([
    ...(filter.actor_id === undefined ? [] : [eb('e.actorId', '=', filter.actor_id)]),
    ...(filter.action === undefined ? [] : [eb('e.action', '=', filter.action)]),
    ...(subjectKind === undefined ? [] : [eb('e.subjectKind', '=', subjectKind)]),
    ...(subjectId === undefined ? [] : [eb('e.subjectId', '=', subjectId)]),
    ...(filter.from === undefined ? [] : [eb('e.at', '>=', filter.from)]),
    ...(filter.to === undefined ? [] : [eb('e.at', '<', filter.to)]),
    ...(filter.request_id === undefined ? [] : [eb('e.requestId', '=', filter.request_id)]),
  ]);
}
