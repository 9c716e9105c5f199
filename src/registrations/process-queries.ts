import type { Database } from '../platform/database/database.ts';
import { literals } from '../platform/database/literals.ts';
import { livingStatuses } from './states.ts';

/** The living statuses as a statement names them. */
export const living = literals(livingStatuses);

/** Ids of registrations with a process behind `afterId`, ascending. Uses registrations_live_index. */
export async function listLiving(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('registrations')
    .select('id')
    .where('id', '>', afterId)
    .where('dueAt', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
