import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { type Database, customPlan } from './database.ts';

/**
 * Counts the matches of a query up to a number, so that its cost stays bounded (API-5).
 * @returns `isTotalCapped`: more rows match than `total`
 */
export async function countUpTo<DB, TB extends keyof DB, Row>(
  db: Database,
  matching: SelectQueryBuilder<DB, TB, Row>,
  most: number,
  { hasCustomPlan = false }: { hasCustomPlan?: boolean } = {},
): Promise<{ total: number; isTotalCapped: boolean }> {
  const counted = matching.select(sql.lit(1).as('one')).limit(sql.lit(most + 1));
  const count = sql<{
    total: number;
  }>`select count(*)::int as total from (${counted}) as counted ${hasCustomPlan ? customPlan : sql``}`;
  const { rows } = await count.execute(db);
  const total = rows[0]?.total ?? 0;
  return { total: Math.min(total, most), isTotalCapped: total > most };
}

/** Maximum number of matches that the query sorts. */
const maxSorted = 10_000;

/**
 * Selects the ids of a page of matches, the newest first. Sorts the matches of the word index, up to a limit. Very frequent words are read
 * in list order, where the page fills quickly. PostgreSQL's own plan reads all rows for rare prefixes.
 * @param matching selects `id` of all matches, in no order
 * @param idColumn name of the id column in the query
 */
export function newestFound<DB, TB extends keyof DB>(
  matching: SelectQueryBuilder<DB, TB, { id: number }>,
  idColumn: string,
  { limit, offset }: { limit: number; offset: number },
): RawBuilder<{ id: number }> {
  const isFew = sql<boolean>`(select count(*) from found) <= ${sql.lit(maxSorted)}`;
  const inOrder = matching
    .where(sql<boolean>`not (${isFew})`)
    .orderBy(sql`${sql.ref(idColumn)} desc`)
    .limit(limit + offset);
  return sql`(
    with found as materialized (${matching.limit(sql.lit(maxSorted + 1))})
    select id from (select id from found where ${isFew} union all (${inOrder})) as both_ways order by id desc limit ${limit} offset ${offset}
  )`;
}
