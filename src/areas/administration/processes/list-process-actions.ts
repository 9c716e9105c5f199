import { countUpTo } from '../../../platform/database/count-up-to.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { ProcessRef } from '../../../platform/process-ref.ts';
import type { StoredProcessAction } from './entities.ts';

/** The total is exact up to this number (API-5). */
const mostCounted = 10_000;

/**
 * Lists the actions of administrators on processes, newest first (ADM-4). Reads `process_actions_process_index` or the primary key; the
 * count stops at `mostCounted`.
 */
export async function listProcessActions(
  db: Database,
  { process: ref, page, limit }: { process?: string | undefined; page: number; limit: number },
): Promise<{ items: StoredProcessAction[]; total: number; isTotalCapped: boolean }> {
  const all = db.selectFrom('process_actions');
  const chosen = ref === undefined ? all : all.where('process', '=', ref as ProcessRef);
  const [items, counted] = await Promise.all([
    chosen
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    countUpTo(db, chosen, mostCounted),
  ]);
  return { items, ...counted };
}
