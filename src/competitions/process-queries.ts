import type { Database } from '../platform/database/database.ts';
import { living } from './queries.ts';

/** Ids of living events behind `afterId`, ascending. Uses events_live_index. */
export async function listLiving(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('events')
    .select('id')
    .where('id', '>', afterId)
    .where('status', 'in', living)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
