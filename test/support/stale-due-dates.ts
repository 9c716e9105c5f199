import { type Database, databaseOf } from '../../src/platform/database/database.ts';
import { sandboxClock } from '../../src/platform/time/clock.ts';
import { type RecordProcess, refOf } from '../../src/platform/workflows/define-process.ts';
import { dueAtOf } from '../../src/platform/workflows/process-view.ts';
import { definitions } from '../../src/registry/areas.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';

const pageSize = 500;
/** A step that became due now may still be on its way; the sweeper waits as long (`graceMs`). Milliseconds. */
const graceMs = 120_000;

/**
 * The sweeper finds a record by its `due_at` alone, so each step stores the date of the next step there. Holds once the processes are at
 * rest, see `staleDueDatesIn`.
 * @returns a line for each living record whose stored date is missing or later than that of its process
 */
export async function findStaleDueDates(databaseUrl: string): Promise<string[]> {
  const orm = await openRegistry(databaseUrl, 2);
  try {
    const db = databaseOf(orm.em.fork());
    return [...(await staleDueDatesIn(db, await sandboxClock.now(db))).values()];
  } finally {
    await orm.close(true);
  }
}

/** Finds the same lines, by the id of the process. A record whose wake-up is not delivered yet may be among them. */
export async function staleDueDatesIn(db: Database, now: Date): Promise<Map<string, string>> {
  const stale = new Map<string, string>();
  for (const definition of definitions) if (definition.type === 'record') await addStale(definition);
  return stale;

  async function addStale<Row extends { id: number }>(definition: RecordProcess<Row>): Promise<void> {
    const { dueAt, listLiving, read, describe } = definition;
    if (dueAt === undefined) return;
    for (let ids = await listLiving(db, 0, pageSize); ids.length > 0; ids = await listLiving(db, ids.at(-1) ?? 0, pageSize)) {
      for (const row of await read(db, ids)) {
        const [stored, wanted] = [dueAt.of(row), dueAtOf(describe(row, now), now)];
        if (wanted === null || (stored !== null && stored.getTime() <= wanted.getTime() + graceMs)) continue;
        const ref = refOf(definition, row.id);
        stale.set(ref, `${ref} is due at ${wanted.toISOString()}, and due_at is ${stored?.toISOString() ?? 'null'}`);
      }
    }
  }
}
