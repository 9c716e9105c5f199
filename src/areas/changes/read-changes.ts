import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { Place } from './cursor.ts';
import type { Change } from './entities.ts';

/** Whose changes are read: those of one account, or all (CHG-3). */
export type Audience = { userId: number } | 'all';

export interface ChangesWanted {
  audience: Audience;
  /** Null: none, only the end of the log. */
  after: Place | null;
  limit: number;
  /** Audited actions; null: all. */
  actions: readonly string[] | null;
  now: Date;
}

type Row = Pick<
  Change,
  'era' | 'xid' | 'id' | 'at' | 'action' | 'subjectKind' | 'subjectId' | 'parentId' | 'status' | 'ownerId' | 'organizerId'
>;

/**
 * Reads the changes after a place, in the order of the log, in one statement: its snapshot has all changes below the oldest open transaction,
 * and later ones wait for the next read (CHG-2).
 *
 * Each audience and action is a range of an index, of which at most a page is read, for any number of rows.
 * @returns `next`: the place to go on from; the end of the log, when the page is not full
 */
export async function readChanges(
  db: Database,
  { audience, after, limit, actions, now }: ChangesWanted,
): Promise<{ rows: Row[]; next: Place }> {
  const wanted = after === null ? null : { after, most: sql.lit(limit), actions };
  const parts =
    wanted === null
      ? []
      : audience === 'all'
        ? [select(wanted, sql`true`)]
        : [select(wanted, sql`c.owner_id = ${audience.userId}`), select(wanted, sql`c.organizer_id = ${audience.userId}`)];
  const page =
    parts.length === 0
      ? sql`select * from changes where false`
      : sql`select * from (${sql.join(parts, sql` union all `)}) p order by era, xid, id limit ${sql.lit(limit)}`;
  const { rows } = await sql<Row & { headEra: number; headBelow: number; isChange: boolean }>`
    select h.era as head_era, h.below as head_below, p.id is not null as is_change, p.era, p.xid, p.id, p.at, p.action, p.subject_kind,
      p.subject_id, p.parent_id, p.status, p.owner_id, p.organizer_id
    from change_head() h left join lateral (${page}) p on true
    order by p.era, p.xid, p.id`.execute(db);
  const [first] = rows;
  if (first === undefined) throw new Error('the log of changes has no end');
  const found = rows.filter(({ isChange }) => isChange);
  const last = found.length === limit ? found.at(-1) : undefined;
  if (last !== undefined) return { rows: found, next: last };
  const head = { era: first.headEra, xid: first.headBelow - 1, id: Number.MAX_SAFE_INTEGER, at: now };
  // The end is never before the reader's place, except in a cluster that was restored to an earlier time.
  const isBehind = after !== null && (after.era > head.era || (after.era === head.era && after.xid > head.xid));
  return { rows: found, next: isBehind ? after : head };
}

/** Selects the page of one audience; `h` is the end of the log. */
function select(
  { after, most, actions }: { after: Place; most: RawBuilder<unknown>; actions: readonly string[] | null },
  ofAudience: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const range = sql`${ofAudience} and (c.era, c.xid, c.id) > (${after.era}::int, ${after.xid}::bigint, ${after.id}::bigint)
    and (c.era, c.xid) < (h.era, h.below)`;
  if (actions === null) return sql`(select c.* from changes c where ${range} order by c.era, c.xid, c.id limit ${most})`;
  return sql`(select c.* from unnest(${[...actions]}::text[]) a (action), lateral (
    select c.* from changes c where c.action = a.action and ${range} order by c.era, c.xid, c.id limit ${most}) c
    order by c.era, c.xid, c.id limit ${most})`;
}
