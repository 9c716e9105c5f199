import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** Most matches that are sorted. */
const mostRead = 10_000;

/**
 * Selects the ids of a page of matches, the newest first. Reads the word index and sorts, up to a limit; only very frequent words are read
 * in list order, where the page fills quickly. PostgreSQL alone would misjudge rare prefixes and read all rows.
 * @param matching selects `id` of all matches, in no order
 * @param idColumn the same, as the query names it
 */
export function newestFound<DB, TB extends keyof DB>(
  matching: SelectQueryBuilder<DB, TB, { id: number }>,
  idColumn: string,
  { limit, offset }: { limit: number; offset: number },
): RawBuilder<{ id: number }> {
  const isFew = sql<boolean>`(select count(*) from found) <= ${sql.lit(mostRead)}`;
  const inOrder = matching
    .where(sql<boolean>`not (${isFew})`)
    .orderBy(sql`${sql.ref(idColumn)} desc`)
    .limit(limit + offset);
  return sql`(
    with found as materialized (${matching.limit(sql.lit(mostRead + 1))})
    select id from (select id from found where ${isFew} union all (${inOrder})) as both_ways order by id desc limit ${limit} offset ${offset}
  )`;
}
