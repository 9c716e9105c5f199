import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** What a search finds is read whole up to here. */
const mostRead = 10_000;

/**
 * The ids of a page of what a search finds, the newest first. It is taken from the index of words and put in order, as long as it is not too much;
 * only words that stand nearly everywhere are sought in the order of the list, where the page is soon full. Left to itself the server takes a rare
 * beginning of a word for one that stands in each two-hundredth row, and goes through all of them.
 * @param matching selects `id` of all that fit, in no order
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
