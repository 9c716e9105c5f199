import { type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database, Tables } from '../../platform/database/database.ts';

/** `action`: the audit itself. `security`: what may have been an attack. */
export const auditCategories = ['action', 'security'] as const;
export type AuditCategory = (typeof auditCategories)[number];

export interface AuditFilter {
  actor_id?: number | undefined;
  action?: string | undefined;
  /** `document/12`, or `document` for all of a kind. */
  subject?: string | undefined;
  /** Both when absent. */
  category?: AuditCategory | undefined;
  /** Included. */
  from?: Date | undefined;
  /** Not included. */
  to?: Date | undefined;
  request_id?: string | undefined;
  page: number;
  limit: number;
}

/** One event of either kind. */
export interface ListedEvent {
  category: AuditCategory;
  /** Unique within its category. */
  id: number;
  action: string;
  actorId: number | null;
  impersonatedUserId: number | null;
  subjectKind: string;
  subjectId: string;
  ip: string | null;
  requestId: string;
  at: Date;
  data: Record<string, unknown>;
}

/** Counted exactly up to here (decisions.md §9). */
const mostCounted = 10_000;

/**
 * The events that a filter matches, newest first (decisions.md §9). Each filter has an index in this order, so that a page reads what it
 * shows and what stands before it, and the count stops behind `mostCounted`.
 * @returns `isTotalCapped`: there are more than `total`
 */
export async function listAuditEvents(
  db: Database,
  filter: AuditFilter,
): Promise<{ items: ListedEvent[]; total: number; isTotalCapped: boolean }> {
  const offset = (filter.page - 1) * filter.limit;
  const chosen = { action: selectActions(db, filter), security: selectSecurity(db, filter) };
  const parts = auditCategories.filter((category) => filter.category === undefined || filter.category === category);
  // Each part gives as many as the page could need, so that none of them is read as a whole.
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
    // In this order too: it keeps to the index, where any ten thousand would be sought through the whole table.
    counted: sql`(${matching.select(sql.lit(1).as('one')).orderBy('e.at', 'desc').orderBy('e.id', 'desc').limit(beyondCounted)})`,
  };
}

/** The same of the security events; how many a row stands for is part of its data. */
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

/** The columns that both kinds are found by. */
type Sought = Pick<Tables['audit_events'], 'action' | 'actorId' | 'subjectKind' | 'subjectId' | 'requestId' | 'at'>;

function matches(filter: AuditFilter): Expression<SqlBool> {
  const eb = expressionBuilder<{ e: Sought }, 'e'>();
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
