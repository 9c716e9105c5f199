import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely';
import type { Database, Tables } from './database.ts';

/** A total; `name` and `key` identify it (`entities.ts`). */
export interface Tally {
  name: string;
  key: string;
  n: number;
}

/** Lists with stored totals, and the parts of their keys in order. */
export interface CountedLists {
  users: [role: string, status: string];
  ledger: [type: string];
  national: [year: string, serviceId: string, status: string, paid: 't' | 'f', insuranceExported: 't' | 'f', printExported: 't' | 'f'];
}

/** Separates the parts of a key; no part contains it. */
const separator = '.';

/**
 * Reads the totals of the overview: stored totals and later changes in one statement, so that none is missed or counted twice while the
 * sweeper merges them. Reads one row for each total and each change of the last minute.
 */
export function readTallies(db: Database): Promise<Tally[]> {
  return readTotals(db, expressionBuilder<Tables, 'tallies'>()('name', 'not like', 'list:%'));
}

/** Counts the rows of a list that match, from the same totals. The cost does not depend on the number of rows. */
export async function countListed<List extends keyof CountedLists>(
  db: Database,
  list: List,
  matches: (...parts: CountedLists[List]) => boolean,
): Promise<number> {
  const totals = await readTotals(db, expressionBuilder<Tables, 'tallies'>()('name', '=', `list:${list}`));
  // `keep_list_totals` (`migrations/guards.sql`) writes the keys.
  return totals.reduce((sum, { key, n }) => (matches(...(key.split(separator) as CountedLists[List])) ? sum + n : sum), 0);
}

async function readTotals(db: Database, condition: Expression<SqlBool>): Promise<Tally[]> {
  return (
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('tallies')
          .select(['name', 'key', 'n'])
          .where(condition)
          .unionAll(eb.selectFrom('tally_changes').select(['name', 'key', 'n']).where(condition))
          .as('t'),
      )
      // The cast is needed: a sum of bigints is numeric, which the driver returns as text.
      .select(['t.name', 't.key', sql<number>`sum(t.n)::bigint`.as('n')])
      .groupBy(['t.name', 't.key'])
      .execute()
  );
}

/**
 * Merges a page of the oldest changes into the totals in one statement, so readers see all or none of it. Parallel calls lock totals in the
 * same order.
 * @returns number of merged changes
 */
export async function mergeTallies(db: Database, limit: number): Promise<number> {
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
