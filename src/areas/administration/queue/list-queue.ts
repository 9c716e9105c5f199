import { type Expression, type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { customPlan, type Database, hasWords } from '../../../platform/database/database.ts';
import type { QueueDetails, QueueRow, QueueSource } from '../../reviews/index.ts';
import { matchesWords } from '../athletes/list-athletes.ts';

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
  /** An ISO 8601 instant. */
  updated_at: string | null;
  details: QueueDetails;
}

interface QueueFilter {
  kind?: string | undefined;
  /** `rejected` is an alias of `changes` for earlier clients. */
  status?: string | undefined;
  /** Beginnings of words of a name or an e-mail, an IIN, a certificate number, all in any order; or an id. */
  q?: string | undefined;
  /** Not included. */
  waiting_before?: Date | undefined;
  page: number;
  limit: number;
}

/** Sort key of an item, by which it is found again; a competition may wait with several stages. */
type Place = Pick<QueueRow, 'kind' | 'id' | 'waitingSince'>;

/**
 * Lists the records that wait for an administrator, oldest first (REV-3); with the status `changes`, those returned to their owners.
 *
 * One statement, with the total, and those of flags that SQL cannot decide. Each source reads its index of waiting records twice: all of
 * it for the sort keys, then the rows of the page by id with all columns. A search finds profiles by the words of the lists.
 */
export async function listQueue(
  db: Database,
  now: Date,
  sources: readonly QueueSource[],
  filter: QueueFilter,
): Promise<{ items: QueueItem[]; total: number }> {
  const selects = sources
    .filter(({ kind }) => filter.kind === undefined || filter.kind === kind)
    .flatMap((source) => selectOf(db, source, filter.status));
  if (selects.length === 0) return { items: [], total: 0 };
  const { q, waiting_before: before } = filter;
  const hasText = q === undefined ? sql`true` : hasTextOf(q);
  const isMatch = before === undefined ? hasText : sql`(${hasText} and s.waiting_since < ${before})`;
  const places = selects.map(({ rows }) => sql`select s.kind, s.id, s.waiting_since from ${rows} s where ${isMatch}`);
  const described = selects.map(
    ({ kind, rows }) => sql`select s.* from ${rows} s where s.id = any(array(select id from shown where kind = ${sql.lit(kind)}))`,
  );
  const listed = await db
    .with(
      (waiting) => waiting('waiting').materialized(),
      (reader) => reader.selectFrom(unionOf<Place>(places).as('w')).selectAll(),
    )
    .with(
      (shown) => shown('shown').materialized(),
      (reader) =>
        reader
          .selectFrom('waiting')
          .select(['kind', 'id', 'waitingSince'])
          .orderBy('waitingSince')
          .orderBy('kind')
          .orderBy('id')
          .limit(filter.limit)
          .offset((filter.page - 1) * filter.limit),
    )
    .selectNoFrom((eb) => [
      eb
        .selectFrom('waiting')
        .select((count) => count.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('total'),
      jsonArrayFrom(
        eb
          .selectFrom('shown as p')
          .innerJoin(unionOf<QueueRow>(described).as('t'), (join) =>
            join.onRef('t.kind', '=', 'p.kind').onRef('t.id', '=', 'p.id').onRef('t.waitingSince', '=', 'p.waitingSince'),
          )
          .select(['t.kind', 't.id', 't.status', 't.title', 't.flags', 't.details', 't.updatedAt as updated_at'])
          .select(['t.waitingSince as waiting_since', 't.profileId as profile_id', 't.ownerId as owner_id'])
          .orderBy('t.waitingSince')
          .orderBy('t.kind')
          .orderBy('t.id'),
      ).as('items'),
    ])
    // With the words as constants their query is made once, and not for each item.
    .$if(q !== undefined, (searched) => searched.modifyEnd(customPlan))
    .executeTakeFirstOrThrow();
  return { ...listed, items: await withFurtherFlags(db, now, sources, listed.items) };
}

async function withFurtherFlags(db: Database, now: Date, sources: readonly QueueSource[], items: QueueItem[]): Promise<QueueItem[]> {
  let flagged = items;
  for (const { kind, furtherFlags } of sources) {
    if (furtherFlags === undefined) continue;
    const ofKind = items.filter((item) => item.kind === kind);
    const [status] = ofKind.map((item) => item.status);
    if (status === undefined) continue;
    const ids = ofKind.map(({ id }) => id);
    const further = await furtherFlags(db, now, ids, status);
    flagged = flagged.map((item) => (item.kind === kind ? { ...item, flags: [...item.flags, ...(further.get(item.id) ?? [])] } : item));
  }
  return flagged;
}

/**
 * Whether an item `s` matches a search by its own text, by the words of its profile as the lists have them, or by its id. The words are read
 * by the profile's id for each item: frequent words match more profiles than wait.
 */
function hasTextOf(q: string): RawBuilder<boolean> {
  const isIn = (entries: 'athlete_entries' | 'organizer_entries') =>
    sql`(select ${matchesWords(q)} from ${sql.table(entries)} e where e.profile_id = s.profile_id)`;
  const isOfProfile = sql`coalesce(${isIn('athlete_entries')}, ${isIn('organizer_entries')})`;
  return sql`(${hasWords(sql.ref('s.searchText'), q)} or s.id::text = ${q} or ${isOfProfile})`;
}

function selectOf(db: Database, source: QueueSource, status: string | undefined): { kind: string; rows: Expression<QueueRow> }[] {
  const wanted = status === 'rejected' ? 'changes' : (status ?? source.waiting);
  const isListed = wanted === source.waiting || (wanted === 'changes' && source.canBeReturned);
  return isListed ? [{ kind: source.kind, rows: source.select(db, wanted) }] : [];
}

function unionOf<Row>(parts: readonly RawBuilder<unknown>[]): RawBuilder<Row> {
  return sql<Row>`(${sql.join(parts, sql` union all `)})`;
}
