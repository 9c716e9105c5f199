import { type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database, Tables } from '../../platform/database/database.ts';
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
  page: number;
  limit: number;
}

/** One event of either category; `id` is unique within its category. */
export interface ListedEvent extends AuditEvent {
  category: AuditCategory;
}

/** The total is exact up to this number (API-5). */
const mostCounted = 10_000;

/**
 * Lists the events that a filter matches, newest first. Each filter has an index in this order, so that a page reads only its rows and
 * those of the pages before it. The count stops at `mostCounted`.
 * @returns `isTotalCapped`: more events match than `total`
 */
export async function listAuditEvents(
  db: Database,
  filter: AuditFilter,
): Promise<{ items: ListedEvent[]; total: number; isTotalCapped: boolean }> {
  const offset = (filter.page - 1) * filter.limit;
  const chosen = { action: selectActions(db, filter), security: selectSecurity(db, filter) };
  const parts = auditCategories.filter((category) => filter.category === undefined || filter.category === category);
  // Each category gives at most the rows that the page can need, so that neither is read as a whole.
  const shown = parts.map((category) => chosen[category].shown(offset + filter.limit));
  const counted = parts.map((category) => chosen[category].counted);
  const [items, { total }] = await Promise.all([
    db
      .selectFrom(unionOf<ListedEvent>(shown).as('e'))
      .selectAll()
      .orderBy('at', 'desc')
      .orderBy('category')
      .orderBy('id', 'desc')
      .limit(filter.limit)
      .offset(offset)
      .execute(),
    db
      .selectFrom(unionOf<{ one: number }>(counted).as('e'))
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ]);
  return { items, total: Math.min(total, mostCounted), isTotalCapped: total > mostCounted };
}

function unionOf<Row>(parts: readonly RawBuilder<unknown>[]): RawBuilder<Row> {
  return sql<Row>`(${sql.join(parts, sql` union all `)})`;
}

function selectActions(db: Database, filter: AuditFilter) {
  const matching = db.selectFrom('audit_events as e').where(matches(filter));
  const shown = matching
    .select([sql.lit<AuditCategory>('action').as('category'), 'e.id', 'e.action', 'e.actorId', 'e.impersonatedUserId'])
    .select(['e.subjectKind', 'e.subjectId', 'e.ip', 'e.requestId', 'e.at', 'e.data'])
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc');
  return {
    shown: (most: number) => sql`(${shown.limit(most)})`,
    // Ordered like the page, so that the count uses the index; unordered it would scan the table.
    counted: sql`(${matching.select(sql.lit(1).as('one')).orderBy('e.at', 'desc').orderBy('e.id', 'desc').limit(beyondCounted)})`,
  };
}

/** Selects security events like `selectActions`; `data` has the count of the row. */
function selectSecurity(db: Database, filter: AuditFilter) {
  const matching = db.selectFrom('security_events as e').where(matches(filter));
  const shown = matching
    .select([sql.lit<AuditCategory>('security').as('category'), 'e.id', 'e.action', 'e.actorId', 'e.impersonatedUserId'])
    .select(['e.subjectKind', 'e.subjectId', 'e.ip', 'e.requestId', 'e.at'])
    .select(sql<Record<string, unknown>>`e.data || jsonb_build_object('count', e.count)`.as('data'))
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc');
  return {
    shown: (most: number) => sql`(${shown.limit(most)})`,
    counted: sql`(${matching.select(sql.lit(1).as('one')).orderBy('e.at', 'desc').orderBy('e.id', 'desc').limit(beyondCounted)})`,
  };
}

const beyondCounted = sql.lit(mostCounted + 1);

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
