import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { DomainError, fieldProblem } from '../../errors.ts';
import { dayMs } from '../../platform/time/date-time.ts';
import { isExpired, type Position } from './cursor.ts';
import type { Change } from './entities.ts';

/** Whose changes are read: those of one account, or all (CHG-3). */
export type Audience = { userId: number } | 'all';

export interface ChangesWanted {
  audience: Audience;
  /** Null: none, only the end of the log. */
  after: Position | null;
  limit: number;
  /** Audited actions; null: all. */
  actions: readonly string[] | null;
  now: Date;
}

type Row = Pick<Change, 'place' | 'id' | 'at' | 'action' | 'subjectKind' | 'subjectId' | 'parentId' | 'status' | 'ownerId' | 'organizerId'>;

/**
 * Reads the changes after a position, in the order of the log, in one statement: its snapshot has all changes below the oldest open
 * transaction, and later ones wait for the next read (CHG-2).
 *
 * Each audience and action is a range of an index, of which at most a page is read, for any number of rows.
 * @returns `next`: the position to go on from; the end of the log when the page is not full
 */
export async function readChanges(
  db: Database,
  { audience, after, limit, actions, now }: ChangesWanted,
): Promise<{ rows: Row[]; next: Position }> {
  if (after === null) {
    const { rows } = await sql<{ below: number }>`select change_end() as below`.execute(db);
    return { rows: [], next: endOf(rows, now) };
  }
  const most = sql.lit(limit);
  const audiences = audience === 'all' ? [sql`true`] : [sql`c.owner_id = ${audience.userId}`, sql`c.organizer_id = ${audience.userId}`];
  const pages = audiences.map((ofAudience) => sql`(${selectPage(ofAudience, actions, most)})`);
  // `offset 0` hides the position from the planner: its statistics know no new changes, and it would expect none after a new position.
  const { rows } = await sql<Row & { below: number; isChange: boolean }>`
    select e.below, p.id is not null as is_change, p.place, p.id, p.at, p.action, p.subject_kind, p.subject_id, p.parent_id, p.status,
      p.owner_id, p.organizer_id
    from (select change_end() as below, ${after.place}::bigint as place, ${after.id}::bigint as id offset 0) e
    left join lateral (select * from (${sql.join(pages, sql` union all `)}) c order by place, id limit ${most}) p on true
    order by p.place, p.id`.execute(db);
  const found = rows.filter(({ isChange }) => isChange);
  const last = found.length === limit ? found.at(-1) : undefined;
  if (last !== undefined) return { rows: found, next: last };
  return { rows: found, next: endOf(rows, now) };
}

/**
 * Refuses a position from which nothing can be read: an expired one (CHG-4), or one that no reader got, beyond the end of the log (CHG-7).
 * @param path of the field, for the answer
 * @throws {DomainError} cursor_expired, validation_failed
 */
export async function requireInLog(db: Database, after: Position, now: Date, path: string): Promise<void> {
  if (isExpired(after, now)) throw new DomainError('cursor_expired');
  const { rows } = await sql<{ below: number }>`select change_end() as below`.execute(db);
  // The clocks of two API processes may differ.
  if (after.place > endOf(rows, now).place || after.at.getTime() > now.getTime() + dayMs)
    throw fieldProblem(path, 'not_allowed', 'must be a `next` of this list; it lies beyond the end of the changes');
}

function endOf([row]: readonly { below: number }[], now: Date): Position {
  if (row === undefined) throw new Error('the log of changes has no end');
  return { place: row.below - 1, id: Number.MAX_SAFE_INTEGER, at: now };
}

/** Selects the page of one audience within `e`, the reader's position and the end of the log. */
function selectPage(ofAudience: RawBuilder<unknown>, actions: readonly string[] | null, most: RawBuilder<unknown>): RawBuilder<unknown> {
  const range = sql`${ofAudience} and (c.place, c.id) > (e.place, e.id) and c.place < e.below order by c.place, c.id limit ${most}`;
  if (actions === null) return sql`select c.* from changes c where ${range}`;
  return sql`select c.* from unnest(${[...actions]}::text[]) a (action),
    lateral (select c.* from changes c where c.action = a.action and ${range}) c order by c.place, c.id limit ${most}`;
}
