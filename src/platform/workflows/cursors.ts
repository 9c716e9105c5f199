import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { DueRecord } from './define-process.ts';

/**
 * Reads the id after which paged work continues; 0 at the start.
 * @param maxAgeMs age above which a cursor is ignored, because earlier records may have changed
 */
export async function readCursor(db: Database, name: string, maxAgeMs?: number): Promise<number> {
  const row = await db.selectFrom('cursors').select(['afterId', 'updatedAt']).where('name', '=', name).executeTakeFirst();
  if (!row || (maxAgeMs !== undefined && Date.now() - row.updatedAt.getTime() > maxAgeMs)) return 0;
  return row.afterId;
}

export async function writeCursor(db: Database, name: string, afterId: number, afterAt: Date | null = null): Promise<void> {
  await saveCursor(db, { name, afterId, afterAt, afterKey: null });
}

interface Place {
  name: string;
  afterId: number;
  afterAt: Date | null;
  afterKey: string | null;
}

async function saveCursor(db: Database, { name, ...place }: Place): Promise<void> {
  const row = { ...place, updatedAt: sql<Date>`now()` };
  await db
    .insertInto('cursors')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}

/**
 * Reads the due record after which a sweep continues; null at the start.
 * @param maxAgeMs as above
 */
export async function readDueCursor(db: Database, name: string, maxAgeMs: number): Promise<DueRecord | null> {
  const row = await db.selectFrom('cursors').select(['afterId', 'afterAt', 'updatedAt']).where('name', '=', name).executeTakeFirst();
  if (!row || row.afterAt === null || Date.now() - row.updatedAt.getTime() > maxAgeMs) return null;
  return { id: row.afterId, at: row.afterAt };
}

/** @param last last record of the sweep; null at the end, so the next sweep starts again */
export async function writeDueCursor(db: Database, name: string, last: DueRecord | null): Promise<void> {
  if (last === null) await removeCursor(db, name);
  else await writeCursor(db, name, last.id, last.at);
}

/**
 * Reads the key after which work in text order continues; null at the start.
 * @param maxAgeMs as above
 */
export async function readKeyCursor(db: Database, name: string, maxAgeMs: number): Promise<string | null> {
  const row = await db.selectFrom('cursors').select(['afterKey', 'updatedAt']).where('name', '=', name).executeTakeFirst();
  return !row || Date.now() - row.updatedAt.getTime() > maxAgeMs ? null : row.afterKey;
}

/** @param last as above */
export async function writeKeyCursor(db: Database, name: string, last: string | null): Promise<void> {
  if (last === null) await removeCursor(db, name);
  else await saveCursor(db, { name, afterId: 0, afterAt: null, afterKey: last });
}

export async function removeCursor(db: Database, name: string): Promise<void> {
  await db.deleteFrom('cursors').where('name', '=', name).execute();
}

/** Returns when resumable work started; now if it is new or older than `maxAgeMs`. */
export async function startTimeOf(db: Database, name: string, maxAgeMs: number): Promise<Date> {
  const row = await db.selectFrom('cursors').select('updatedAt').where('name', '=', name).executeTakeFirst();
  if (row && Date.now() - row.updatedAt.getTime() <= maxAgeMs) return row.updatedAt;
  const startedAt = new Date();
  await writeCursor(db, name, 0);
  return startedAt;
}
