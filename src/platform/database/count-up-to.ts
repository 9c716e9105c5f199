import { type SelectQueryBuilder, sql } from 'kysely';
import { type Database, plannedEachTime } from './database.ts';

/**
 * Counts the matches of a query up to a number, so that its cost stays bounded (API-5).
 * @returns `isTotalCapped`: more rows match than `total`
 */
export async function countUpTo<DB, TB extends keyof DB, Row>(
  db: Database,
  matching: SelectQueryBuilder<DB, TB, Row>,
  most: number,
  { isPlannedEachTime = false }: { isPlannedEachTime?: boolean } = {},
): Promise<{ total: number; isTotalCapped: boolean }> {
  const counted = matching.select(sql.lit(1).as('one')).limit(sql.lit(most + 1));
  const count = sql<{
    total: number;
  }>`select count(*)::int as total from (${counted}) as counted ${isPlannedEachTime ? plannedEachTime : sql``}`;
  const { rows } = await count.execute(db);
  const total = rows[0]?.total ?? 0;
  return { total: Math.min(total, most), isTotalCapped: total > most };
}
