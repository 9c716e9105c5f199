import type { Database } from '../platform/database/database.ts';
import { living } from './queries.ts';

/** Ids of living applications behind `afterId`, ascending. Uses applications_live_index. */
export async function listLiving(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('applications')
    .select('id')
    .where('id', '>', afterId)
    .where('status', 'in', living)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
