import { databaseOf } from '../../src/platform/database/database.ts';
import { sandboxClock } from '../../src/platform/time/clock.ts';
import type { RecordProcess } from '../../src/platform/workflows/define-process.ts';
import { dueAtOf } from '../../src/platform/workflows/process-view.ts';
import { definitions } from '../../src/registry/areas.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';

const pageSize = 500;
/** A step that became due now may still be on its way; the sweeper waits as long (`graceMs`). Milliseconds. */
const graceMs = 120_000;

/**
 * The sweeper finds a record by its `due_at` alone, so each command stores the date of the next step there.
 * @returns a line for each living record whose stored date is missing or later than that of its process
 */
export async function findStaleDueDates(databaseUrl: string): Promise<string[]> {
  const orm = await openRegistry(databaseUrl, 2);
  try {
    const db = databaseOf(orm.em.fork());
    const now = await sandboxClock.now(db);
    const lines: string[] = [];
    for (const definition of definitions) if (definition.type === 'record') lines.push(...(await staleOf(definition)));
    return lines;

    async function staleOf<Row extends { id: number }>({ kind, dueAt, listLiving, read, describe }: RecordProcess<Row>): Promise<string[]> {
      const stale: string[] = [];
      if (dueAt === undefined) return stale;
      for (let ids = await listLiving(db, 0, pageSize); ids.length > 0; ids = await listLiving(db, ids.at(-1) ?? 0, pageSize)) {
        for (const row of await read(db, ids)) {
          const [stored, wanted] = [dueAt.of(row), dueAtOf(describe(row, now), now)];
          const isStale = wanted !== null && (stored === null || stored.getTime() > wanted.getTime() + graceMs);
          if (isStale) stale.push(`${kind}/${row.id} is due at ${wanted.toISOString()}, and due_at is ${stored?.toISOString() ?? 'null'}`);
        }
      }
      return stale;
    }
  } finally {
    await orm.close(true);
  }
}
