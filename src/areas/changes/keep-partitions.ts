import { sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';

/** Makes the partitions of the next months and drops expired ones, by real time (CHG-4). Idempotent. */
export async function keepChangePartitions({ db }: Pick<CommandContext, 'db'>): Promise<{ changed: number; isMore: boolean }> {
  const { rows } = await sql<{ changed: number }>`select keep_change_partitions(now()) as changed`.execute(db);
  return { changed: rows[0]?.changed ?? 0, isMore: false };
}
