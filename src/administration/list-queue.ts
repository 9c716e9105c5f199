import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { containing } from '../platform/database/database.ts';
import type { Database } from '../platform/database/database.ts';
import type { QueueRow, QueueSource } from '../reviews/index.ts';

export interface QueueItem {
  kind: string;
  id: number;
  status: string;
  title: string;
  /** An ISO 8601 instant. */
  waiting_since: string;
  profile_id: number | null;
  owner_id: number | null;
  flags: string[];
}

export interface QueueFilter {
  kind?: string | undefined;
  /** `rejected` is the earlier flow's name of `changes` (decisions.md §3). */
  status?: string | undefined;
  /** A part of a name, IIN or e-mail, or an id. */
  q?: string | undefined;
  page: number;
  limit: number;
}

/**
 * What waits for an administrator, oldest first (decisions.md §9); with `status` `changes` what was returned to its owners.
 * One statement, the total included; each source reads the index of what waits.
 */
export async function listQueue(
  db: Database,
  sources: readonly QueueSource[],
  filter: QueueFilter,
): Promise<{ items: QueueItem[]; total: number }> {
  const selects = sources
    .filter(({ kind }) => filter.kind === undefined || filter.kind === kind)
    .flatMap((source) => selectOf(db, source, filter.status));
  if (selects.length === 0) return { items: [], total: 0 };
  const { q } = filter;
  const all = sql<QueueRow>`(${sql.join(selects, sql` union all `)})`;
  return db
    .with(
      (queue) => queue('queue').materialized(),
      (reader) =>
        reader
          .selectFrom(all.as('q'))
          .selectAll()
          .where((eb) =>
            q === undefined ? eb.lit(true) : eb.or([eb('q.sought', 'ilike', containing(q)), eb(sql<string>`q.id::text`, '=', q)]),
          ),
    )
    .selectNoFrom((eb) => [
      eb
        .selectFrom('queue')
        .select((count) => count.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('total'),
      jsonArrayFrom(
        eb
          .selectFrom('queue')
          .select(['kind', 'id', 'status', 'title', 'flags'])
          .select(['waitingSince as waiting_since', 'profileId as profile_id', 'ownerId as owner_id'])
          .orderBy('waitingSince')
          .orderBy('kind')
          .orderBy('id')
          .limit(filter.limit)
          .offset((filter.page - 1) * filter.limit),
      ).as('items'),
    ])
    .executeTakeFirstOrThrow();
}

function selectOf(db: Database, source: QueueSource, status: string | undefined) {
  const wanted = status === 'rejected' ? 'changes' : (status ?? source.waiting);
  const isListed = wanted === source.waiting || (wanted === 'changes' && source.canBeReturned);
  return isListed ? [source.select(db, wanted)] : [];
}
