import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';

/** A total: `name` and `key` say of what (`tally-entities.ts`). */
export interface Tally {
  name: string;
  key: string;
  n: number;
}

/**
 * All totals as they stand: those brought up to date and what has changed since, in one statement, so that nothing is missed or counted
 * twice while the sweeper moves the one into the other. Reads as many rows as there are totals and changes of the last minute.
 */
export async function readTallies(db: Database): Promise<Tally[]> {
  return (
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('tallies')
          .select(['name', 'key', 'n'])
          .unionAll(eb.selectFrom('tally_changes').select(['name', 'key', 'n']))
          .as('t'),
      )
      // A sum of bigints is numeric, which would come as text.
      .select(['t.name', 't.key', sql<number>`sum(t.n)::bigint`.as('n')])
      .groupBy(['t.name', 't.key'])
      .execute()
  );
}

/**
 * Moves a page of the oldest changes into the totals, in one statement: whoever reads meanwhile sees either none of it or all. Two that do
 * it at once take turns at the changes that both have chosen, and take the totals in the same order.
 * @returns how many changes it moved
 */
export async function foldTallies(db: Database, limit: number): Promise<number> {
  const { rows } = await sql<{ moved: number }>`
    with chosen as (select id from tally_changes order by id limit ${limit}),
      gone as (delete from tally_changes where id in (select id from chosen) returning name, key, n),
      summed as (select name, key, sum(n)::bigint as n from gone group by name, key order by name, key),
      kept as (
        insert into tallies (name, key, n) select name, key, n from summed
        on conflict (name, key) do update set n = tallies.n + excluded.n)
    select count(*)::int as moved from gone`.execute(db);
  return rows[0]?.moved ?? 0;
}
