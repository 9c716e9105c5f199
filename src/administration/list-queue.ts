import type { EntityManager } from '@mikro-orm/postgresql';

export const queueKinds = ['profile', 'photo', 'document', 'application', 'contact_message', 'incident'] as const;
export type QueueKind = (typeof queueKinds)[number];

/** `rejected` is the earlier flow's name of `changes` (decisions.md §3). */
export const queueStatuses = ['pending', 'submitted', 'new', 'unresolved', 'changes', 'rejected'] as const;
export type QueueStatus = (typeof queueStatuses)[number];

export interface QueueItem {
  kind: QueueKind;
  id: number;
  status: string;
  title: string;
  /** An ISO 8601 instant. */
  waiting_since: string;
  profile_id: number | null;
  owner_id: number | null;
  flags: 'duplicate_iin'[];
}

interface Branch {
  kind: QueueKind;
  /** The status of what waits for an administrator. */
  waiting: QueueStatus;
  /** Whether records returned to their owners can be listed too. */
  canBeReturned: boolean;
  sql: string;
}

/** What each branch selects, in this order; `sought` is what a search looks through. */
const columns = 'kind, id, status, title, waiting_since, profile_id, owner_id, flags, sought';

const duplicateFlag = `case when p.duplicate_iin then '["duplicate_iin"]'::json else '[]'::json end`;

/**
 * One branch for each kind of record; each reads the partial index of what waits (`*_queue_index`). `{status}` is one of
 * our own words, never a caller's text.
 */
const branches: Branch[] = [
  {
    kind: 'profile',
    waiting: 'pending',
    canBeReturned: true,
    sql: `select 'profile', p.id, p.status, p.name, coalesce(p.submitted_at, p.updated_at),
            p.id, p.owner_id, ${duplicateFlag}, concat_ws(' ', p.name, p.iin, u.email)
          from profiles p join users u on u.id = p.owner_id where p.status = '{status}'`,
  },
  {
    kind: 'photo',
    waiting: 'pending',
    canBeReturned: true,
    sql: `select 'photo', p.id, p.photo_status, p.name, coalesce(p.submitted_at, p.updated_at),
            p.id, p.owner_id, ${duplicateFlag}, concat_ws(' ', p.name, p.iin, u.email)
          from profiles p join users u on u.id = p.owner_id where p.photo_status = '{status}'`,
  },
  {
    kind: 'document',
    waiting: 'pending',
    canBeReturned: true,
    sql: `select 'document', d.id, d.status, d.type || ': ' || p.name, d.updated_at,
            p.id, p.owner_id, ${duplicateFlag}, concat_ws(' ', p.name, p.iin, u.email)
          from documents d join profiles p on p.id = d.profile_id join users u on u.id = p.owner_id where d.status = '{status}'`,
  },
  {
    // A national certificate is approved by itself; the others wait for an administrator once they are paid.
    kind: 'application',
    waiting: 'submitted',
    canBeReturned: true,
    sql: `select 'application', a.id, a.status, (s.title->>'en') || ': ' || p.name, greatest(a.submitted_at, a.paid_at, a.created_at),
            p.id, a.owner_id, ${duplicateFlag}, concat_ws(' ', p.name, p.iin, u.email)
          from applications a join services s on s.id = a.service_id join profiles p on p.id = a.profile_id join users u on u.id = a.owner_id
          where a.status = '{status}' and a.kind <> 'national_certificate' and (a.paid or a.amount_minor = 0)`,
  },
  {
    kind: 'contact_message',
    waiting: 'new',
    canBeReturned: false,
    sql: `select 'contact_message', m.id, m.status, m.name, m.created_at, null::int, null::int, '[]'::json, concat_ws(' ', m.name, m.email)
          from contact_messages m where m.status = '{status}'`,
  },
  {
    kind: 'incident',
    waiting: 'unresolved',
    canBeReturned: false,
    sql: `select 'incident', i.id, 'unresolved', i.kind || ': ' || i.subject_kind || ' ' || i.subject_id, i.at, null::int, null::int, '[]'::json,
            concat_ws(' ', i.kind, i.subject_kind, i.subject_id)
          from incidents i where i.resolved_at is null`,
  },
];

export interface QueueFilter {
  kind?: QueueKind | undefined;
  status?: QueueStatus | undefined;
  /** A part of a name, IIN or e-mail, or an id. */
  q?: string | undefined;
  page: number;
  limit: number;
}

/**
 * What waits for an administrator, oldest first (decisions.md §9); with `status` `changes` what was returned to its owners.
 * One statement, the total included.
 */
export async function listQueue(em: EntityManager, filter: QueueFilter): Promise<{ items: QueueItem[]; total: number }> {
  const selects = branches
    .filter(({ kind }) => filter.kind === undefined || filter.kind === kind)
    .flatMap((branch) => selectOf(branch, filter.status));
  if (selects.length === 0) return { items: [], total: 0 };
  const { where, params } = searchOf(filter.q);
  const [row] = await em.execute<{ total: number; items: QueueItem[] }[]>(
    `with queue as materialized (select * from (${selects.join(' union all ')}) q (${columns}) ${where})
     select (select count(*)::int from queue) as total,
       (select coalesce(json_agg(i order by i.waiting_since, i.kind, i.id), '[]') from (
          select kind, id, status, title, waiting_since, profile_id, owner_id, flags from queue
           order by waiting_since, kind, id limit ? offset ?) i) as items`,
    [...params, filter.limit, (filter.page - 1) * filter.limit],
  );
  return { items: row?.items ?? [], total: row?.total ?? 0 };
}

function selectOf(branch: Branch, status: QueueStatus | undefined): string[] {
  const wanted = status === 'rejected' ? 'changes' : (status ?? branch.waiting);
  const isListed = wanted === branch.waiting || (wanted === 'changes' && branch.canBeReturned);
  return isListed ? [branch.sql.replace('{status}', wanted)] : [];
}

function searchOf(q: string | undefined): { where: string; params: string[] } {
  if (q === undefined) return { where: '', params: [] };
  const pattern = `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return { where: 'where q.sought ilike ? or q.id::text = ?', params: [pattern, q] };
}
