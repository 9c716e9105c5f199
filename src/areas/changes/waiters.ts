import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { ProcessRef } from '../../platform/workflows/process-ref.ts';
import type { Audience } from './read-changes.ts';

/**
 * Makes the next change of an audience wake a process (CHG-6). A command that wrote its change before it could see the waiter wakes nothing:
 * read the changes until `hasSettled`.
 */
export async function waitForChanges(db: Database, waiter: ProcessRef, audience: Audience): Promise<void> {
  const userId = audience === 'all' ? null : audience.userId;
  await db
    .insertInto('change_waiters')
    .values({ process: waiter, userId })
    .onConflict((conflict) => conflict.column('process').doUpdateSet({ userId }))
    .execute();
}

/** Ends the waiting, so that changes do not wake a process that reads them anyway. */
export async function stopWaiting(db: Database, waiter: ProcessRef): Promise<void> {
  await db.deleteFrom('change_waiters').where('process', '=', waiter).execute();
}

/** Returns a mark of the present: commands that are under way now end before it has settled. */
export async function markPresent(db: Database): Promise<string> {
  const { rows } = await sql<{ mark: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as mark`.execute(db);
  return rows[0]?.mark ?? '0';
}

/** Returns whether all commands that were under way at a mark have ended. Read the changes after that. */
export async function hasSettled(db: Database, mark: string): Promise<boolean> {
  const { rows } = await sql<{ isSettled: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${mark}::xid8 as is_settled`.execute(db);
  return rows[0]?.isSettled === true;
}

/** For a reader that is a row: its audience, as SQL, and its position. `userId` is unused where `seesAll`. */
interface ReaderColumns {
  userId: RawBuilder<number>;
  seesAll: RawBuilder<boolean>;
  place: RawBuilder<number>;
  changeId: RawBuilder<number>;
}

/**
 * Selects whether a reader has changes after its position, of any type, in one row: `is_readable`, those that can be read now, and
 * `is_blocked`, those behind an open transaction.
 */
export function selectUnread({ userId, seesAll, place, changeId }: ReaderColumns) {
  const exists = (range: RawBuilder<unknown>) => sql<boolean>`case when ${seesAll} then exists (select from changes c where ${range})
    else exists (select from changes c where c.owner_id = ${userId} and ${range})
      or exists (select from changes c where c.organizer_id = ${userId} and ${range}) end`;
  const after = sql`(c.place, c.id) > (${place}, ${changeId})`;
  return sql`select ${exists(sql`${after} and c.place < e.below`)} as is_readable,
    ${exists(sql`${after} and c.place >= e.below`)} as is_blocked from (select change_end() as below offset 0) e`;
}
