import type { EntityManager } from '@mikro-orm/postgresql';

export interface AuditFilter {
  actor_id?: number | undefined;
  action?: string | undefined;
  /** `document/12`, or `document` for all of a kind. */
  subject?: string | undefined;
  /** Included. */
  from?: Date | undefined;
  /** Not included. */
  to?: Date | undefined;
  request_id?: string | undefined;
  page: number;
  limit: number;
}

/** `at` is an ISO 8601 instant. */
export interface AuditRow {
  id: number;
  action: string;
  actor_id: number | null;
  impersonated_user_id: number | null;
  subject_kind: string;
  subject_id: string;
  ip: string | null;
  request_id: string;
  at: string;
  data: Record<string, unknown>;
}

/** The journal, newest first (decisions.md §9); actor, subject and request are found by their indexes. One statement, the total included. */
export async function listAuditEvents(em: EntityManager, filter: AuditFilter): Promise<{ items: AuditRow[]; total: number }> {
  const { where, params } = conditionsOf(filter);
  const [row] = await em.execute<{ total: number; items: AuditRow[] }[]>(
    `select (select count(*)::int from audit_events e ${where}) as total,
       (select coalesce(json_agg(i order by i.id desc), '[]') from (
          select e.* from audit_events e ${where} order by e.id desc limit ? offset ?) i) as items`,
    [...params, ...params, filter.limit, (filter.page - 1) * filter.limit],
  );
  return { items: row?.items ?? [], total: row?.total ?? 0 };
}

function conditionsOf(filter: AuditFilter): { where: string; params: (string | number | Date)[] } {
  const [subjectKind, subjectId] = filter.subject?.split('/', 2) ?? [];
  const conditions: [string, string | number | Date | undefined][] = [
    ['e.actor_id = ?', filter.actor_id],
    ['e.action = ?', filter.action],
    ['e.subject_kind = ?', subjectKind],
    ['e.subject_id = ?', subjectId],
    ['e.at >= ?', filter.from],
    ['e.at < ?', filter.to],
    ['e.request_id = ?', filter.request_id],
  ];
  const given = conditions.filter((condition): condition is [string, string | number | Date] => condition[1] !== undefined);
  return { where: given.length === 0 ? '' : `where ${given.map(([sql]) => sql).join(' and ')}`, params: given.map(([, value]) => value) };
}
