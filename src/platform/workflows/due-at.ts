import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { DueRecord, RecordProcess } from './define-process.ts';

/** Functions for a kind that stores its next date in the column `due_at` (`define-process.ts`). */
interface DueAtColumn {
  /** Lists records due by an instant, the earliest first, after `after`. */
  list: RecordProcess['listDue'];
  /** Stores the next due date, unless it changed since it was read. Does not count as a change of the record. */
  save(db: Database, id: number, at: Date | null, before: Date | null): Promise<void>;
}

/** Returns the functions of a table with the columns `id` and `due_at`, and an index over both in this order, for the sweeper. */
export function dueAtOf(name: string): DueAtColumn {
  const table = sql.table(name);
  return {
    async list(db, now, after, limit) {
      const behind = after === null ? sql`` : sql`and (due_at, id) > (${after.at}, ${after.id})`;
      const due = sql<DueRecord>`select id, due_at as at from ${table} where due_at <= ${now} ${behind} order by due_at, id limit ${limit}`;
      return (await due.execute(db)).rows;
    },

    async save(db, id, at, before) {
      await sql`update ${table} set due_at = ${at} where id = ${id} and due_at is not distinct from ${before}`.execute(db);
    },
  };
}

/**
 * Lists ids of a table's living records after `afterId`, ascending, for the rebuild and the sweeper's audit.
 * @param isLive SQL predicate of a partial index over `id`, as the entity declares it
 */
export function livingOf(name: string, isLive: string): RecordProcess['listLiving'] {
  return async (db, afterId, limit) => {
    const live = sql<{ id: number }>`
      select id from ${sql.table(name)} where id > ${afterId} and ${sql.raw(isLive)} order by id limit ${limit}`;
    return (await live.execute(db)).rows.map(({ id }) => id);
  };
}
