import { sql } from 'kysely';
import type { Cleared } from '../../platform/expired-rows.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { readCursor, writeCursor } from '../../platform/workflows/cursors.ts';
import { dayMs } from '../../platform/time/date-time.ts';

const cursorName = 'change_partitions';

/** Makes the partitions of the next months and drops expired ones, once a day of real time (CHG-4). Idempotent. */
export async function keepChangePartitions({ db }: Pick<CommandContext, 'db'>): Promise<Cleared> {
  const today = Math.floor(Date.now() / dayMs);
  const nothing = { changed: 0, isMore: false };
  if ((await readCursor(db, cursorName)) === today) return nothing;
  const { rows } = await sql<{ changed: number | null }>`select keep_change_partitions(now()) as changed`.execute(db);
  const changed = rows[0]?.changed ?? null;
  // Null: it gave up waiting for a lock. The next sweep tries again.
  if (changed === null) return nothing;
  await writeCursor(db, cursorName, today);
  return { changed, isMore: false };
}
